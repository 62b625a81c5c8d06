/// Converts C++ values to ABI structs, without copying text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/scale_up_option.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// A currency code that is too long is cut at seven characters, which the other side refuses, too.
inline void put_currency(std::string_view code, char (&out)[8]) noexcept {
    std::memcpy(out, code.data(), std::min(code.size(), sizeof out - 1));
}

}  // namespace detail

/// Owns the arrays that ABI structs point to. The structs borrow from this arena and from the
/// values, so both must outlive them and the values must not change; temporaries do not compile.
/// A template that options share is converted once; their lists of pods need no conversion. Not
/// thread-safe.
///
///     AbiArena arena;
///     const capstan_array options = arena.list(request.options);
class AbiArena {
public:
    AbiArena() = default;
    AbiArena(const AbiArena&) = delete;
    AbiArena& operator=(const AbiArena&) = delete;

    capstan_group to_abi(const NodeGroup& group);
    capstan_template to_abi(const NodeTemplate& node);
    capstan_pod_equivalence_group to_abi(const PodEquivalenceGroup& pods);
    capstan_option to_abi(const ScaleUpOption& option);
    capstan_machine to_abi(const Machine& machine);
    capstan_cloud_view to_abi(const CloudView& view);
    capstan_resize to_abi(const Resize& resize);
    capstan_resized to_abi(const Resized& resized);
    capstan_price to_abi(const Price& price) const noexcept;
    capstan_group_options to_abi(const GroupOptions& options) const noexcept;
    capstan_removal to_abi(const Removal& removal);
    capstan_removed to_abi(const Removed& removed);
    capstan_requirement to_abi(const Requirement& requirement);
    capstan_node_selector_term to_abi(const NodeSelectorTerm& term);
    capstan_toleration to_abi(const Toleration& toleration) const noexcept;
    capstan_error to_abi(const Error& error) const noexcept { return capstan::to_abi(error); }
    capstan_taint to_abi(const Taint& taint) const noexcept {
        return {str(taint.key), str(taint.value), static_cast<std::int32_t>(taint.effect), 0};
    }
    template <class Tag>
    capstan_str to_abi(const Id<Tag>& id) const noexcept {
        return str(id.value());
    }
    capstan_str to_abi(const std::string& written) const noexcept { return str(written); }
    template <class T>
    void to_abi(const T&& temporary) = delete;

    /// Converts the elements of `values`.
    template <class T>
    capstan_array list(const std::vector<T>& values) {
        return map(values, [this](const T& value) { return to_abi(value); });
    }
    capstan_array list(const Labels& labels) {
        return map(labels,
                   [](const auto& pair) { return capstan_kv{str(pair.first), str(pair.second)}; });
    }
    capstan_array list(const Resources& resources) {
        return map(resources,
                   [](const auto& e) { return capstan_quantity{str(e.resource), e.amount}; });
    }
    template <class T>
    void list(const T&& temporary) = delete;

protected:
    /// Converts each of `values` with `to_abi_one`.
    template <class Values, class F>
    capstan_array map(const Values& values, F to_abi_one);

private:
    static constexpr std::uint64_t bit_if(bool present, std::uint64_t bit) noexcept {
        return present ? bit : 0;
    }
    /// Stores `raw` at a stable address.
    template <class Raw>
    const Raw* keep(const Raw& raw) {
        return new (memory_.allocate(sizeof(Raw), alignof(Raw))) Raw(raw);
    }
    const capstan_template* to_abi_once(const NodeTemplate& node);

    std::pmr::monotonic_buffer_resource memory_;
    std::unordered_map<const NodeTemplate*, const capstan_template*> templates_;
};

template <class Values, class F>
capstan_array AbiArena::map(const Values& values, F to_abi_one) {
    using Raw = decltype(to_abi_one(*values.begin()));
    static_assert(std::is_trivially_destructible_v<Raw>);
    const auto stride = static_cast<std::uint32_t>(sizeof(Raw));
    if (values.empty()) return {nullptr, 0, stride};
    auto* const first =
        static_cast<Raw*>(memory_.allocate(values.size() * sizeof(Raw), alignof(Raw)));
    Raw* next = first;
    for (const auto& value : values) new (next++) Raw(to_abi_one(value));
    return {first, static_cast<std::uint32_t>(values.size()), stride};
}

inline const capstan_template* AbiArena::to_abi_once(const NodeTemplate& node) {
    const auto [at, is_new] = templates_.try_emplace(&node, nullptr);
    if (is_new) at->second = keep(to_abi(node));
    return at->second;
}

inline capstan_group AbiArena::to_abi(const NodeGroup& group) {
    capstan_group out{};
    out.struct_size = sizeof out;
    out.present = bit_if(group.min.has_value(), CAPSTAN_GROUP_MIN) |
                  bit_if(group.max.has_value(), CAPSTAN_GROUP_MAX) |
                  bit_if(group.target.has_value(), CAPSTAN_GROUP_TARGET) |
                  bit_if(group.healthy.has_value(), CAPSTAN_GROUP_HEALTH) |
                  bit_if(group.spot.has_value(), CAPSTAN_GROUP_SPOT) |
                  CAPSTAN_GROUP_AUTOPROVISIONED;
    out.id = to_abi(group.id);
    out.min = group.min.value_or(0);
    out.max = group.max.value_or(0);
    out.target = group.target.value_or(0);
    out.healthy = group.healthy.value_or(true) ? 1 : 0;
    out.autoprovisioned = group.autoprovisioned ? 1 : 0;
    out.health_reason = str(group.health_reason);
    out.debug = str(group.debug);
    out.template_fingerprint = str(group.template_fingerprint);
    out.tags = list(group.tags);
    out.spot = group.spot.value_or(false) ? 1 : 0;
    out.zones = list(group.zones);
    out.price = group.price ? keep(to_abi(*group.price)) : nullptr;
    out.options = group.options ? keep(to_abi(*group.options)) : nullptr;
    return out;
}

inline capstan_price AbiArena::to_abi(const Price& price) const noexcept {
    capstan_price out{};
    out.struct_size = sizeof out;
    out.present = bit_if(price.per_hour.has_value(), CAPSTAN_PRICE_PER_HOUR) |
                  bit_if(price.interruption_rate.has_value(), CAPSTAN_PRICE_INTERRUPTION_RATE);
    out.per_hour = price.per_hour.value_or(0);
    out.interruption_rate = price.interruption_rate.value_or(0);
    detail::put_currency(price.currency, out.currency);
    return out;
}

inline capstan_group_options AbiArena::to_abi(const GroupOptions& options) const noexcept {
    capstan_group_options out{};
    out.struct_size = sizeof out;
    const auto set = [&out](const auto& value, auto& member, std::uint64_t bit, auto convert) {
        if (!value) return;
        member = convert(*value);
        out.present |= bit;
    };
    const auto same = [](double v) { return v; };
    const auto ns = [](Duration d) { return static_cast<std::int64_t>(d.count()); };
    const auto flag = [](bool b) { return std::int32_t(b ? 1 : 0); };
    set(options.utilization_threshold, out.utilization_threshold, CAPSTAN_GROUP_OPTION_UTILIZATION,
        same);
    set(options.gpu_utilization_threshold, out.gpu_utilization_threshold,
        CAPSTAN_GROUP_OPTION_GPU_UTILIZATION, same);
    set(options.unneeded_time, out.unneeded_ns, CAPSTAN_GROUP_OPTION_UNNEEDED, ns);
    set(options.unready_time, out.unready_ns, CAPSTAN_GROUP_OPTION_UNREADY, ns);
    set(options.max_node_provision_time, out.max_provision_ns, CAPSTAN_GROUP_OPTION_PROVISION, ns);
    set(options.drain_timeout, out.drain_timeout_ns, CAPSTAN_GROUP_OPTION_DRAIN, ns);
    set(options.device_settling_time, out.device_settling_ns, CAPSTAN_GROUP_OPTION_DEVICE_SETTLING,
        ns);
    set(options.settling_time, out.settling_ns, CAPSTAN_GROUP_OPTION_SETTLING, ns);
    set(options.zero_or_max, out.zero_or_max, CAPSTAN_GROUP_OPTION_ZERO_OR_MAX, flag);
    set(options.ignore_daemonsets_utilization, out.ignore_daemonsets,
        CAPSTAN_GROUP_OPTION_IGNORE_DAEMONSETS, flag);
    return out;
}

inline capstan_template AbiArena::to_abi(const NodeTemplate& node) {
    capstan_template out{};
    out.struct_size = sizeof out;
    out.variants = node.variants;
    out.name = str(node.name);
    out.machine_type = str(node.machine_type);
    out.zone = str(node.zone);
    out.arch = str(node.arch);
    out.os = str(node.os);
    out.labels = list(node.labels);
    out.annotations = list(node.annotations);
    out.taints = list(node.taints);
    out.capacity = list(node.capacity);
    out.allocatable = list(node.allocatable);
    out.free = list(node.free);
    out.fingerprint = str(node.fingerprint);
    return out;
}

inline capstan_requirement AbiArena::to_abi(const Requirement& requirement) {
    return {sizeof(capstan_requirement), static_cast<std::int32_t>(requirement.op),
            str(requirement.key), list(requirement.values)};
}

inline capstan_node_selector_term AbiArena::to_abi(const NodeSelectorTerm& term) {
    return {sizeof(capstan_node_selector_term), term.weight, list(term.labels), list(term.fields)};
}

inline capstan_toleration AbiArena::to_abi(const Toleration& toleration) const noexcept {
    const std::int32_t effect =
        toleration.effect ? static_cast<std::int32_t>(*toleration.effect) : 0;
    return {sizeof(capstan_toleration),
            static_cast<std::int32_t>(toleration.op),
            str(toleration.key),
            str(toleration.value),
            effect,
            0};
}

inline capstan_pod_equivalence_group AbiArena::to_abi(const PodEquivalenceGroup& pods) {
    capstan_pod_equivalence_group out{};
    out.struct_size = sizeof out;
    out.count = pods.count;
    out.ns = str(pods.ns);
    out.example = str(pods.example);
    out.owner_kind = str(pods.owner_kind);
    out.owner_name = str(pods.owner_name);
    out.scheduler = str(pods.scheduler);
    out.requests = list(pods.requests);
    out.labels = list(pods.labels);
    out.annotations = list(pods.annotations);
    out.node_selector = list(pods.node_selector);
    out.affinity_required = list(pods.affinity_required);
    out.affinity_preferred = list(pods.affinity_preferred);
    out.tolerations = list(pods.tolerations);
    out.priority = pods.priority;
    return out;
}

inline capstan_option AbiArena::to_abi(const ScaleUpOption& option) {
    capstan_option out{};
    out.struct_size = sizeof out;
    out.nodes = option.nodes;
    out.present = bit_if(option.price_per_hour.has_value(), CAPSTAN_OPTION_PRICE);
    out.group = keep(to_abi(option.group));
    out.node = option.node ? to_abi_once(*option.node) : nullptr;
    // The elements are ABI structs already, so the list is passed without conversion.
    if (option.pods) out.pods = array_of(*option.pods);
    out.requested = list(option.requested);
    out.pod_count = option.pod_count;
    out.group_exists = option.group_exists ? 1 : 0;
    out.similar = list(option.similar);
    out.price_per_hour = option.price_per_hour.value_or(0);
    return out;
}

inline capstan_machine AbiArena::to_abi(const Machine& machine) {
    capstan_machine out{};
    out.struct_size = sizeof out;
    out.state = static_cast<std::int32_t>(machine.state);
    out.present = bit_if(machine.launched.has_value(), CAPSTAN_MACHINE_LAUNCHED) |
                  bit_if(machine.leaves.has_value(), CAPSTAN_MACHINE_LEAVES) |
                  bit_if(machine.spot.has_value(), CAPSTAN_MACHINE_SPOT) |
                  bit_if(machine.price_per_hour.has_value(), CAPSTAN_MACHINE_PRICE);
    out.id = to_abi(machine.id);
    out.group_id = to_abi(machine.group);
    out.machine_type = str(machine.machine_type);
    out.zone = str(machine.zone);
    out.launched_unix_ns = machine.launched ? unix_ns(*machine.launched) : 0;
    out.error = machine.error ? keep(to_abi(*machine.error)) : nullptr;
    out.template_fingerprint = str(machine.template_fingerprint);
    out.node_name = str(machine.node_name);
    if (machine.leaves) {
        out.leaves_because = static_cast<std::int32_t>(machine.leaves->reason);
        out.leaves_unix_ns = machine.leaves->at ? unix_ns(*machine.leaves->at) : 0;
    }
    out.spot = machine.spot.value_or(false) ? 1 : 0;
    out.price_per_hour = machine.price_per_hour.value_or(0);
    out.addresses = list(machine.addresses);
    return out;
}

inline capstan_resized AbiArena::to_abi(const Resized& resized) {
    return {sizeof(capstan_resized), resized.target,
            resized.shortfall ? keep(to_abi(*resized.shortfall)) : nullptr};
}

inline capstan_cloud_view AbiArena::to_abi(const CloudView& view) {
    return {sizeof(capstan_cloud_view),
            view.complete ? 1 : 0,
            list(view.groups),
            list(view.machines),
            list(view.unreadable),
            str(view.lists_all_with_prefix),
            std::chrono::ceil<std::chrono::milliseconds>(view.target_lag.value_or(Duration::zero()))
                .count()};
}

inline capstan_resize AbiArena::to_abi(const Resize& resize) {
    return {sizeof(capstan_resize),        resize.delta,
            to_abi(resize.group),          resize.expected_target,
            resize.all_or_nothing ? 1 : 0, str(resize.idempotency_key),
            resize.listed_target,          0};
}

inline capstan_removal AbiArena::to_abi(const Removal& removal) {
    return {sizeof(capstan_removal),
            removal.force ? 1 : 0,
            to_abi(removal.group),
            list(removal.machines),
            str(removal.idempotency_key),
            removal.keep_target ? 1 : 0,
            0};
}

inline capstan_removed AbiArena::to_abi(const Removed& removed) {
    return {sizeof(capstan_removed), 0, list(removed.failed)};
}

CAPSTAN_NAMESPACE_END
