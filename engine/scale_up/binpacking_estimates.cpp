#include "engine/scale_up/binpacking_estimates.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {
namespace {

bool have_same_result(const BinpackingEstimate& a, const BinpackingEstimate& b) {
    return a.nodes == b.nodes &&
           std::ranges::equal(*a.shares, *b.shares, [](const PodShare& x, const PodShare& y) {
               return x.equivalence_group == y.equivalence_group && x.count == y.count;
           });
}

}  // namespace

BinpackingEstimates::BinpackingEstimates(scheduling::Placement& placement,
                                         std::vector<std::uint32_t> pod_indices)
    : placement_(&placement),
      pod_indices_(std::move(pod_indices)),
      orders_(placement.predicates()),
      pods_(placement.predicates().pod_groups().size(), 0),
      changed_in_(pods_.size(), 0) {}

void BinpackingEstimates::begin_round(const std::vector<int>& pods) {
    ++round_;
    for (PodGroupIndex s = 0; s < pods.size(); ++s) {
        if (pods[s] != pods_[s]) changed_in_[s] = round_;
    }
    pods_ = pods;
    std::erase_if(cache_, [&](const auto& entry) { return entry.second.used_in < round_ - 1; });
}

BinpackingEstimates::CompatiblePods& BinpackingEstimates::compatible_pods(
    TemplateNodeId template_node) {
    CompatiblePods& pods = compatible_pods_[template_node];
    if (pods.pod_groups != nullptr) return pods;
    pods.pod_groups = orders_.of(template_node);
    pods.has_inter_pod_constraints = std::ranges::any_of(*pods.pod_groups, [&](PodGroupIndex s) {
        return placement_->predicates().has_inter_pod_constraints(s);
    });
    return pods;
}

/// Inter-pod constraints depend on pods that any round may have placed, so an estimate with such
/// pods is current in its own round only.
bool BinpackingEstimates::is_current(const CachedEstimate& cached,
                                     const CompatiblePods& pods) const {
    if (cached.estimate == nullptr) return false;
    if (cached.made_in == round_) return true;
    return !pods.has_inter_pod_constraints &&
           std::ranges::none_of(*pods.pod_groups,
                                [&](PodGroupIndex s) { return changed_in_[s] > cached.made_in; });
}

void BinpackingEstimates::prepare(std::vector<TemplateNodeId> template_nodes, int max_nodes) {
    const scheduling::CompiledPredicates& predicates = placement_->predicates();
    for (TemplateNodeId& template_node : template_nodes)
        template_node = predicates.equivalent(template_node);
    const auto order = [&](TemplateNodeId a, TemplateNodeId b) {
        if (predicates.same_except_capacity(a) != predicates.same_except_capacity(b))
            return predicates.same_except_capacity(a) < predicates.same_except_capacity(b);
        const auto less = [&](auto x, auto y) {
            return std::ranges::lexicographical_compare(x, y);
        };
        if (less(predicates.free(a), predicates.free(b))) return true;
        return !less(predicates.free(b), predicates.free(a)) && a < b;
    };
    std::ranges::sort(template_nodes, order);
    template_nodes.erase(std::ranges::unique(template_nodes).begin(), template_nodes.end());
    for (auto first = template_nodes.begin(); first != template_nodes.end();) {
        const auto last =
            std::find_if(first, template_nodes.end(), [&](TemplateNodeId template_node) {
                return predicates.same_except_capacity(template_node) !=
                       predicates.same_except_capacity(*first);
            });
        of(*first, max_nodes);
        of(*std::prev(last), max_nodes);
        prepare_between({first, last}, max_nodes);
        first = last;
    }
}

void BinpackingEstimates::prepare_between(std::span<const TemplateNodeId> same_except_capacity,
                                          int max_nodes) {
    if (same_except_capacity.size() <= 2) return;
    const scheduling::CompiledPredicates& predicates = placement_->predicates();
    const std::shared_ptr<const BinpackingEstimate> smallest =
        of(same_except_capacity.front(), max_nodes);
    const auto is_between = [&](TemplateNodeId template_node) {
        return std::ranges::equal(predicates.free(same_except_capacity.front()),
                                  predicates.free(template_node), std::less_equal()) &&
               std::ranges::equal(predicates.free(template_node),
                                  predicates.free(same_except_capacity.back()), std::less_equal());
    };
    if (have_same_result(*smallest, *of(same_except_capacity.back(), max_nodes)) &&
        std::ranges::all_of(same_except_capacity, is_between)) {
        for (const TemplateNodeId template_node :
             same_except_capacity.subspan(1, same_except_capacity.size() - 2)) {
            cache_[{template_node, max_nodes}] = {smallest, round_, round_};
        }
        return;
    }
    const std::size_t middle = same_except_capacity.size() / 2;
    of(same_except_capacity[middle], max_nodes);
    prepare_between(same_except_capacity.first(middle + 1), max_nodes);
    prepare_between(same_except_capacity.subspan(middle), max_nodes);
}

std::shared_ptr<const BinpackingEstimate> BinpackingEstimates::of(TemplateNodeId template_node,
                                                                  int max_nodes) {
    const TemplateNodeId equivalent = placement_->predicates().equivalent(template_node);
    CompatiblePods& pods = compatible_pods(equivalent);
    CachedEstimate& cached = cache_[{equivalent, max_nodes}];
    if (!is_current(cached, pods)) {
        cached.estimate =
            std::make_shared<const BinpackingEstimate>(work_out(equivalent, pods, max_nodes));
        cached.made_in = round_;
    }
    cached.used_in = round_;
    return cached.estimate;
}

BinpackingEstimate BinpackingEstimates::work_out(TemplateNodeId template_node, CompatiblePods& pods,
                                                 int max_nodes) {
    std::vector<Demand> demands;
    for (const PodGroupIndex s : *pods.pod_groups) {
        if (pods_[s] > 0) demands.push_back({s, pods_[s]});
    }
    const scheduling::Placement::Mark mark = placement_->mark();
    Supply supply{template_node, max_nodes};
    Packed packed = Packing(*placement_).pack({&supply, 1}, demands);
    placement_->undo(mark);

    drop(packed.refused, pods);

    BinpackingEstimate out;
    out.nodes = max_nodes - supply.nodes;
    out.schedulable = std::move(packed.schedulable);
    out.shares = shares_of(out.schedulable);
    out.requested = requested_by(out.schedulable);
    for (const Demand& demand : out.schedulable)
        out.pods += static_cast<std::uint32_t>(demand.count);
    return out;
}

/// A pod that an empty node refuses is refused by every node of that template, unless it has
/// inter-pod constraints.
void BinpackingEstimates::drop(const std::vector<PodGroupIndex>& refused,
                               CompatiblePods& pods) const {
    std::vector<bool> never(pods_.size(), false);
    bool any = false;
    for (const PodGroupIndex s : refused) {
        if (placement_->predicates().has_inter_pod_constraints(s)) continue;
        never[s] = any = true;
    }
    if (!any) return;
    auto rest = std::make_shared<std::vector<PodGroupIndex>>(*pods.pod_groups);
    std::erase_if(*rest, [&](PodGroupIndex s) { return never[s]; });
    pods.pod_groups = std::move(rest);
}

PodShares BinpackingEstimates::shares_of(const std::vector<Demand>& pods) const {
    // The shares ascend without a sort: pod_indices_ ascend with pod groups.
    std::vector<std::uint32_t> counts(pod_indices_.size(), 0);
    for (const Demand& demand : pods) {
        counts[demand.pod_group] = static_cast<std::uint32_t>(demand.count);
    }
    std::vector<PodShare> shares;
    shares.reserve(pods.size());
    for (PodGroupIndex s = 0; s < counts.size(); ++s) {
        if (counts[s] > 0) shares.push_back({pod_indices_[s], counts[s]});
    }
    return share(std::move(shares));
}

Resources BinpackingEstimates::requested_by(const std::vector<Demand>& pods) const {
    const scheduling::CompiledPredicates& predicates = placement_->predicates();
    std::vector<std::int64_t> sums(predicates.cluster().resource_count(), 0);
    for (const Demand& demand : pods) {
        for (const snapshot::Request& request : predicates.requests(demand.pod_group)) {
            std::int64_t& sum = sums[request.resource];
            sum = detail::saturated(detail::Int128{request.amount} * demand.count + sum);
        }
    }
    Resources out;
    for (ResourceIndex r = 0; r < sums.size(); ++r) {
        if (sums[r] > 0 && r != snapshot::pods_index)
            out.set(predicates.cluster().resource_name(r), sums[r]);
    }
    return out;
}

}  // namespace capstan::engine::scale_up
