#include "engine/snapshot/cluster_state.hpp"

#include <algorithm>

#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/heap_bytes.hpp"
#include "engine/snapshot/kept_annotations.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::snapshot {
namespace {

template <class... Columns>
std::size_t bytes_of_columns(const std::vector<Columns>&... columns) noexcept {
    return ((columns.capacity() * sizeof(Columns)) + ...);
}

}  // namespace

std::size_t NodeTable::bytes() const noexcept {
    return sizeof(*this) + bytes_of_columns(rows, slots, index_of, name_of, allocatable);
}

std::size_t PodTable::bytes() const noexcept {
    return sizeof(*this) + blocks.size() * sizeof(PodBlock) +
           bytes_of_columns(blocks, bound, bounds, unbound, requested);
}

std::size_t DefaultSpreads::bytes() const noexcept {
    return sizeof(*this) + bytes_of_columns(by_pod_group) + heap_bytes(lists);
}

namespace {

template <class... Texts>
std::uint64_t hash_texts(const Texts&... texts) noexcept {
    FastHash hash;
    (hash.add(std::string_view(texts)), ...);
    return hash.value();
}

std::uint64_t hash_taints(const std::vector<Taint>& taints) noexcept {
    FastHash hash;
    for (const Taint& taint : taints) {
        hash.add(taint.key);
        hash.add(taint.value);
        hash.add(static_cast<std::uint64_t>(taint.effect));
    }
    return hash.value();
}

std::uint64_t hash_resources(const Resources& resources) noexcept {
    FastHash hash;
    for (const auto& [resource, amount] : resources) {
        hash.add(resource);
        hash.add(static_cast<std::uint64_t>(amount));
    }
    return hash.value();
}

bool is_any_key(std::string_view) noexcept { return true; }

// Pools store each distinct value once, so equal addresses mean equal values.
std::uint64_t hash_row(const PodGroupRow& row) noexcept {
    FastHash hash;
    const auto add = [&](const void* address) {
        hash.add(std::uint64_t{reinterpret_cast<std::uintptr_t>(address)});
    };
    add(row.spec);
    add(row.owner);
    add(row.labels.data());
    add(row.annotations.data());
    add(row.claims.data());
    hash.add(static_cast<std::uint64_t>(row.ns));
    return hash.value();
}

bool is_same_row(const PodGroupRow& a, const PodGroupRow& b) noexcept {
    return a.spec == b.spec && a.owner == b.owner && a.ns == b.ns &&
           a.labels.data() == b.labels.data() && a.annotations.data() == b.annotations.data() &&
           a.claims.data() == b.claims.data();
}

}  // namespace

Pools::Pools(std::string spread_timeout_annotation)
    : spread_timeout_annotation_(std::move(spread_timeout_annotation)) {
    for (const std::string_view name : {"cpu", "memory", "ephemeral-storage", "pods"})
        add_resource(name);
}

PodGroupId Pools::add_equivalence_group(const PodObject& pod) {
    const std::uint64_t owner = hash_texts(pod.owner.uid);
    const PodGroupId recent = recent_[owner % recent_.size()];
    if (recent < equivalence_groups_.size() && is_of(equivalence_groups_[recent], pod))
        return recent;
    const auto timeout = find_spread_timeout(pod, spread_timeout_annotation_);
    const std::optional<PodGroupId> lapsed = add_lapsed(pod, timeout);
    const Spec& spec = add_spec(pod.spec);
    PodGroupRow row{.spec = &spec.spec,
                    .requests = spec.requests,
                    .ns = symbols.add(pod.ns),
                    .labels = add_labels(pod.labels),
                    .annotations = add_annotations(pod.annotations),
                    .owner = &add_owner(pod.owner),
                    .claims = add_claims(pod.claims),
                    .spread_timeout = timeout};
    const PodGroupId id = equivalence_groups_.add_id(
        hash_row(row), [&](const PodGroupRow& other) { return is_same_row(row, other); },
        [&] {
            row.lapsed = lapsed.value_or(static_cast<PodGroupId>(equivalence_groups_.size()));
            return row;
        });
    recent_[owner % recent_.size()] = id;
    if (equivalence_groups_.size() * 4 > recent_.size()) recent_.assign(recent_.size() * 4, id);
    return id;
}

std::optional<PodGroupId> Pools::add_lapsed(const PodObject& pod, std::optional<Duration> timeout) {
    if (!timeout) return std::nullopt;
    return add_equivalence_group(without_zone_spread(pod));
}

bool Pools::keeps_annotation(std::string_view key) const noexcept {
    return is_kept_annotation(key) ||
           (key == spread_timeout_annotation_ && !spread_timeout_annotation_.empty());
}

bool Pools::is_of(const PodGroupRow& row, const PodObject& pod) const noexcept {
    return *row.owner == pod.owner && symbols.text(row.ns) == pod.ns && *row.spec == pod.spec &&
           are_pairs(row.labels, pod.labels, is_any_key) &&
           are_pairs(row.annotations, pod.annotations,
                     [&](std::string_view key) { return keeps_annotation(key); }) &&
           are_claims(row.claims, pod.claims);
}

const Pools::Spec& Pools::add_spec(const PodSpec& spec) {
    return specs_.add(
        hash_of(spec), [&](const Spec& other) { return other.spec == spec; },
        [&] {
            Spec out{spec, by_index(spec.requests)};
            std::erase_if(out.requests, [](const Request& r) { return r.resource == pods_index; });
            heap_bytes_ += heap_bytes(out.spec) + heap_bytes(out.requests);
            return out;
        });
}

const PodOwner& Pools::add_owner(const PodOwner& owner) {
    return owners_.add(
        hash_texts(owner.kind, owner.api_group, owner.name, owner.uid),
        [&](const PodOwner& other) { return other == owner; },
        [&] {
            heap_bytes_ += heap_bytes(owner);
            return owner;
        });
}

const Pools::Amounts& Pools::add_amounts(const Resources& resources) {
    return amounts_.add(
        hash_resources(resources),
        [&](const Amounts& other) { return other.resources == resources; },
        [&] {
            Amounts out{resources, by_index(resources)};
            heap_bytes_ += heap_bytes(out.resources) + heap_bytes(out.by_index);
            return out;
        });
}

std::span<const Taint> Pools::add_taints(const std::vector<Taint>& taints) {
    if (taints.empty()) return {};
    return taints_.add(
        hash_taints(taints), [&](const std::vector<Taint>& other) { return other == taints; },
        [&] {
            heap_bytes_ += heap_bytes(taints);
            return taints;
        });
}

std::span<const Symbol> Pools::add_claims(const std::vector<std::string>& claims) {
    if (claims.empty()) return {};
    FastHash hash;
    for (const std::string& claim : claims) hash.add(claim);
    return claim_lists_.add(
        hash.value(), [&](std::span<const Symbol> other) { return are_claims(other, claims); },
        [&]() -> std::span<const Symbol> {
            const std::span<Symbol> out = claims_.take(claims.size());
            std::transform(claims.begin(), claims.end(), out.begin(),
                           [&](const std::string& claim) { return symbols.add(claim); });
            return out;
        });
}

std::span<const LabelPair> Pools::add_labels(const Labels& labels) {
    return add_pairs(labels, is_any_key);
}

std::span<const LabelPair> Pools::add_annotations(const Labels& annotations) {
    return add_pairs(annotations, [&](std::string_view key) { return keeps_annotation(key); });
}

template <class Selection>
std::span<const LabelPair> Pools::add_pairs(const Labels& labels, Selection keep) {
    FastHash hash;
    std::size_t count = 0;
    const auto for_each_kept = [&](auto act) {
        for (const auto& label : labels) {
            if (keep(label.first)) act(label);
        }
    };
    for_each_kept([&](const auto& label) {
        hash.add(label.first);
        hash.add(label.second);
        ++count;
    });
    if (count == 0) return {};
    return pair_lists_.add(
        hash.value(),
        [&](std::span<const LabelPair> other) { return are_pairs(other, labels, keep); },
        [&]() -> std::span<const LabelPair> {
            const std::span<LabelPair> out = pairs_.take(count);
            auto at = out.begin();
            for_each_kept([&](const auto& label) {
                *at++ = {symbols.add(label.first), symbols.add(label.second)};
            });
            return out;
        });
}

template <class Selection>
bool Pools::are_pairs(std::span<const LabelPair> pairs, const Labels& labels,
                      Selection keep) const noexcept {
    auto at = pairs.begin();
    for (const auto& [key, value] : labels) {
        if (!keep(key)) continue;
        if (at == pairs.end() || symbols.text(at->key) != key || symbols.text(at->value) != value)
            return false;
        ++at;
    }
    return at == pairs.end();
}

bool Pools::are_claims(std::span<const Symbol> interned,
                       const std::vector<std::string>& claims) const noexcept {
    return std::equal(interned.begin(), interned.end(), claims.begin(), claims.end(),
                      [&](Symbol a, const std::string& b) { return symbols.text(a) == b; });
}

ResourceIndex Pools::add_resource(std::string_view name) {
    const Symbol symbol = symbols.add(name);
    ResourceIndex index = 0;
    while (index < resources_.size() && resources_[index] != symbol) ++index;
    if (index == resources_.size()) resources_.push_back(symbol);
    return index;
}

std::vector<Request> Pools::by_index(const Resources& resources) {
    std::vector<Request> out;
    out.reserve(resources.size());
    for (const auto& [resource, amount] : resources) {
        const ResourceIndex index = add_resource(resource);
        if (amount > 0) out.push_back({index, amount});
    }
    std::sort(out.begin(), out.end(),
              [](const Request& a, const Request& b) { return a.resource < b.resource; });
    return out;
}

std::size_t Pools::bytes() const noexcept {
    return sizeof(*this) + symbols.bytes() + equivalence_groups_.bytes() + specs_.bytes() +
           owners_.bytes() + amounts_.bytes() + taints_.bytes() + pair_lists_.bytes() +
           claim_lists_.bytes() + pairs_.bytes() + claims_.bytes() + resources_.bytes() +
           recent_.size() * sizeof(PodGroupId) + heap_bytes_;
}

}  // namespace capstan::engine::snapshot
