#include "engine/scale_down/no_place.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <capstan/resources.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/pass_context/spread_emulation.hpp"
#include "engine/scheduling/predicate_data.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::scale_down {
namespace {

// Nodes that are checked for counts in one pass: a few milliseconds of work.
constexpr std::size_t most_looked_at = 20'000;
// Nodes that are checked for an example, for each pod, after that.
constexpr int most_examples = 8;

/// The scheduler's own words, without the numbers that follow them:
///     "Insufficient cpu: needs 2, 500m of 4 are free"  ->  "Insufficient cpu"
///     "node(s) had untolerated taint {dedicated: gpu}" stays as it is
std::string first_clause(const std::string& refusal) {
    const std::size_t colon = refusal.find(": ");
    const std::size_t brace = refusal.find('{');
    return brace < colon ? refusal.substr(0, refusal.find('}') + 1) : refusal.substr(0, colon);
}

}  // namespace

NoPlace::NoPlace(const pass_context::PassContext& context, const scheduling::Placement& placement,
                 std::vector<bool> goes)
    : context_(&context),
      placement_(&placement),
      goes_(std::move(goes)),
      equivalent_pods_(scheduling::find_equivalent_pods(placement.predicates())) {}

scheduling::Refusal NoPlace::refusal(const PlaceSearch& search, NodeIndex node,
                                     scheduling::Wording wording) const {
    if (goes_[node]) return {scheduling::Predicate::none, "also to be removed"};
    if (std::ranges::binary_search(context_->being_removed, node))
        return {scheduling::Predicate::none, "being removed"};
    if (health::find_departure(context_->health.leaving, node) != nullptr)
        return {scheduling::Predicate::none, "with a termination notice"};
    if (context_->health.nodes[node] != health::NodeUsability::takes_pods)
        return {scheduling::Predicate::none, "not ready"};
    if (search.zone) {
        const snapshot::Cluster& cluster = context_->snapshot->cluster;
        if (snapshot::find_label(cluster, cluster.node(node).labels, well_known::zone_label) !=
            search.zone)
            return {scheduling::Predicate::none, "outside the zone that the pod must stay in"};
    }
    scheduling::Refusal out = placement_->why_not(search.pod_group, node, wording);
    if (out.predicate == scheduling::Predicate::none)
        out.sentence = "without room for all pods of the node";
    return out;
}

NoPlace::Found NoPlace::look(const PlaceSearch& search) const {
    Found out;
    const auto rank = [](const Near& n) { return std::tuple(n.predicate, n.cpu); };
    for (NodeIndex n = 0; n < goes_.size(); ++n) {
        const scheduling::Refusal why = refusal(search, n, scheduling::Wording::brief);
        ++out.nodes_by_refusal[first_clause(why.sentence)];
        if (why.predicate == scheduling::Predicate::none) continue;
        const Near near{n, why.predicate, placement_->free(n, snapshot::cpu_index)};
        auto& [first, second] = out.nearest;
        if (first.node == snapshot::no_node || rank(near) > rank(first)) {
            second = std::exchange(first, near);
        } else if (second.node == snapshot::no_node || rank(near) > rank(second)) {
            second = near;
        }
    }
    return out;
}

std::string NoPlace::describe(const PlaceSearch& search) const {
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    std::string needs;
    for (const snapshot::Request& request : placement_->predicates().requests(search.pod_group)) {
        if (request.resource == snapshot::pods_index) continue;
        const std::string_view name = cluster.resource_name(request.resource);
        needs += (needs.empty() ? " (" : ", ") + std::string(name) + " " +
                 format_amount(name, request.amount);
    }
    return "pod " + drainability::full_name(cluster, search.pod) + needs +
           (needs.empty() ? "" : ")") + " fits on no other node";
}

std::string NoPlace::sum_up(const PlaceSearch& search, Found found) const {
    const auto own = found.nodes_by_refusal.find(
        first_clause(refusal(search, search.its_node, scheduling::Wording::brief).sentence));
    if (--own->second == 0) found.nodes_by_refusal.erase(own);
    std::string out = ": 0/" + std::to_string(goes_.size() - 1) + " nodes are available";
    std::vector<std::pair<int, std::string>> counts;
    for (const auto& [refusal, nodes] : found.nodes_by_refusal)
        counts.emplace_back(-nodes, refusal);
    if (counts.empty()) return out;
    std::ranges::sort(counts);
    out += ": " + listed(counts, [](const auto& count) {
               return std::to_string(-count.first) + " " + count.second;
           });
    const auto near = std::ranges::find_if(found.nearest, [&](const Near& n) {
        return n.node != snapshot::no_node && n.node != search.its_node;
    });
    if (near == found.nearest.end()) return out;
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    return out + "; closest fit is " + std::string(cluster.text(cluster.node(near->node).name)) +
           ": " + placement_->why_not(search.pod_group, near->node).sentence;
}

std::string NoPlace::example(const PlaceSearch& search) const {
    int left = most_examples;
    for (NodeIndex n = 0; n < goes_.size() && left > 0; ++n) {
        if (goes_[n] || n == search.its_node) continue;
        --left;
        const scheduling::Refusal why = refusal(search, n, scheduling::Wording::full);
        if (why.predicate == scheduling::Predicate::none) continue;
        const snapshot::Cluster& cluster = context_->snapshot->cluster;
        return "; for example " + std::string(cluster.text(cluster.node(n).name)) + ": " +
               why.sentence;
    }
    return {};
}

std::string NoPlace::explain(PodIndex pod, PodGroupIndex pod_group, NodeIndex its_node) {
    const snapshot::Cluster& cluster = context_->snapshot->cluster;
    const PlaceSearch search{pod, pod_group, its_node,
                             pass_context::pinned_zone(cluster, cluster.equivalence_group_of(pod),
                                                       cluster.pod(pod).node, *context_->settings)};
    const std::string what = describe(search);
    if (placement_->predicates().has_inter_pod_constraints(pod_group)) {
        if (looked_at_ >= most_looked_at) return what + example(search);
        looked_at_ += goes_.size();
        return what + sum_up(search, look(search));
    }
    auto known = known_.find(equivalent_pods_[pod_group]);
    if (known == known_.end()) {
        if (looked_at_ >= most_looked_at) return what + example(search);
        looked_at_ += goes_.size();
        known = known_.emplace(equivalent_pods_[pod_group], look(search)).first;
    }
    return what + sum_up(search, known->second);
}

}  // namespace capstan::engine::scale_down
