#include "engine/scale_up/prospects.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine {
namespace {

bool comes_to_the_same(const Prospect& a, const Prospect& b) {
    return a.nodes == b.nodes &&
           std::ranges::equal(*a.shares, *b.shares, [](const PodShare& x, const PodShare& y) {
               return x.equivalence_group == y.equivalence_group && x.count == y.count;
           });
}

}  // namespace

Prospects::Prospects(Placement& placement, std::vector<std::uint32_t> places)
    : placement_(&placement),
      places_(std::move(places)),
      orders_(placement.rules()),
      pods_(placement.rules().subjects().size(), 0),
      changed_in_(pods_.size(), 0) {}

void Prospects::begin_round(const std::vector<int>& pods) {
    ++round_;
    for (Subject s = 0; s < pods.size(); ++s) {
        if (pods[s] != pods_[s]) changed_in_[s] = round_;
    }
    pods_ = pods;
    std::erase_if(kept_, [&](const auto& entry) { return entry.second.used_in < round_ - 1; });
}

Prospects::Takers& Prospects::takers(ShapeId shape) {
    Takers& takers = takers_[shape];
    if (takers.subjects != nullptr) return takers;
    takers.subjects = orders_.of(shape);
    takers.look_at_pods = std::ranges::any_of(
        *takers.subjects, [&](Subject s) { return placement_->rules().looks_at_pods(s); });
    return takers;
}

/// What looks at other pods may see others in every round.
bool Prospects::is_current(const Kept& kept, const Takers& takers) const {
    if (kept.prospect == nullptr) return false;
    if (kept.made_in == round_) return true;
    return !takers.look_at_pods && std::ranges::none_of(*takers.subjects, [&](Subject s) {
        return changed_in_[s] > kept.made_in;
    });
}

void Prospects::prepare(std::vector<ShapeId> shapes, int max_nodes) {
    const Rules& rules = placement_->rules();
    for (ShapeId& shape : shapes) shape = rules.alike(shape);
    const auto order = [&](ShapeId a, ShapeId b) {
        if (rules.kin(a) != rules.kin(b)) return rules.kin(a) < rules.kin(b);
        const auto less = [&](auto x, auto y) {
            return std::ranges::lexicographical_compare(x, y);
        };
        if (less(rules.free(a), rules.free(b))) return true;
        return !less(rules.free(b), rules.free(a)) && a < b;
    };
    std::ranges::sort(shapes, order);
    shapes.erase(std::ranges::unique(shapes).begin(), shapes.end());
    for (auto first = shapes.begin(); first != shapes.end();) {
        const auto last = std::find_if(first, shapes.end(), [&](ShapeId shape) {
            return rules.kin(shape) != rules.kin(*first);
        });
        of(*first, max_nodes);
        of(*std::prev(last), max_nodes);
        prepare_between({first, last}, max_nodes);
        first = last;
    }
}

void Prospects::prepare_between(std::span<const ShapeId> kin, int max_nodes) {
    if (kin.size() <= 2) return;
    const Rules& rules = placement_->rules();
    const std::shared_ptr<const Prospect> smallest = of(kin.front(), max_nodes);
    const auto is_between = [&](ShapeId shape) {
        return std::ranges::equal(rules.free(kin.front()), rules.free(shape), std::less_equal()) &&
               std::ranges::equal(rules.free(shape), rules.free(kin.back()), std::less_equal());
    };
    if (comes_to_the_same(*smallest, *of(kin.back(), max_nodes)) &&
        std::ranges::all_of(kin, is_between)) {
        for (const ShapeId shape : kin.subspan(1, kin.size() - 2)) {
            kept_[{shape, max_nodes}] = {smallest, round_, round_};
        }
        return;
    }
    const std::size_t middle = kin.size() / 2;
    of(kin[middle], max_nodes);
    prepare_between(kin.first(middle + 1), max_nodes);
    prepare_between(kin.subspan(middle), max_nodes);
}

std::shared_ptr<const Prospect> Prospects::of(ShapeId shape, int max_nodes) {
    const ShapeId alike = placement_->rules().alike(shape);
    Takers& who = takers(alike);
    Kept& kept = kept_[{alike, max_nodes}];
    if (!is_current(kept, who)) {
        kept.prospect = std::make_shared<const Prospect>(work_out(alike, who, max_nodes));
        kept.made_in = round_;
    }
    kept.used_in = round_;
    return kept.prospect;
}

Prospect Prospects::work_out(ShapeId shape, Takers& takers, int max_nodes) {
    std::vector<Demand> demands;
    for (const Subject s : *takers.subjects) {
        if (pods_[s] > 0) demands.push_back({s, pods_[s]});
    }
    const Placement::Mark mark = placement_->mark();
    Supply supply{shape, max_nodes};
    Packed packed = Packing(*placement_).pack({&supply, 1}, demands);
    placement_->undo(mark);

    drop(packed.refused, takers);

    Prospect out;
    out.nodes = max_nodes - supply.nodes;
    out.helped = std::move(packed.helped);
    out.shares = shares_of(out.helped);
    out.requested = requested_by(out.helped);
    for (const Demand& demand : out.helped) out.pods += static_cast<std::uint32_t>(demand.count);
    return out;
}

/// Who was refused by an empty node always will be, unless it looks at other pods.
void Prospects::drop(const std::vector<Subject>& refused, Takers& takers) const {
    std::vector<bool> never(pods_.size(), false);
    bool any = false;
    for (const Subject s : refused) {
        if (placement_->rules().looks_at_pods(s)) continue;
        never[s] = any = true;
    }
    if (!any) return;
    auto rest = std::make_shared<std::vector<Subject>>(*takers.subjects);
    std::erase_if(*rest, [&](Subject s) { return never[s]; });
    takers.subjects = std::move(rest);
}

PodShares Prospects::shares_of(const std::vector<Demand>& pods) const {
    // Ascending by class without a sort: places ascend with subjects.
    std::vector<std::uint32_t> counts(places_.size(), 0);
    for (const Demand& demand : pods) {
        counts[demand.subject] = static_cast<std::uint32_t>(demand.count);
    }
    std::vector<PodShare> shares;
    shares.reserve(pods.size());
    for (Subject s = 0; s < counts.size(); ++s) {
        if (counts[s] > 0) shares.push_back({places_[s], counts[s]});
    }
    return share(std::move(shares));
}

Resources Prospects::requested_by(const std::vector<Demand>& pods) const {
    const Rules& rules = placement_->rules();
    std::vector<std::int64_t> sums(rules.cluster().resource_count(), 0);
    for (const Demand& demand : pods) {
        for (const Request& request : rules.requests(demand.subject)) {
            std::int64_t& sum = sums[request.resource];
            sum = detail::saturated(detail::Int128{request.amount} * demand.count + sum);
        }
    }
    Resources out;
    for (ResourceIndex r = 0; r < sums.size(); ++r) {
        if (sums[r] > 0 && r != pods_index) out.set(rules.cluster().resource_name(r), sums[r]);
    }
    return out;
}

}  // namespace capstan::engine
