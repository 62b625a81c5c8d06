#include "engine/scale_down/no_place.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <capstan/resources.hpp>
#include <capstan/sentence.hpp>

#include "engine/scale_down/node_pods.hpp"
#include "engine/scheduling/twins.hpp"

namespace capstan::engine {
namespace {

// As many refusals as are worded in a hundredth of a second or two.
constexpr std::size_t most_looked_at = 20'000;

/// The scheduler's own words, without the numbers behind them:
///     "Insufficient cpu: needs 2, 500m of 4 are free"  ->  "Insufficient cpu"
///     "node(s) had untolerated taint {dedicated: gpu}" stays as it is
std::string in_short(const std::string& refusal) {
    const std::size_t colon = refusal.find(": ");
    const std::size_t brace = refusal.find('{');
    return brace < colon ? refusal.substr(0, refusal.find('}') + 1) : refusal.substr(0, colon);
}

}  // namespace

NoPlace::NoPlace(const Scene& scene, const Placement& placement, std::vector<bool> goes)
    : scene_(&scene),
      placement_(&placement),
      goes_(std::move(goes)),
      twins_(find_twins(placement.rules())) {}

Refusal NoPlace::refusal(Subject subject, NodeIndex node) const {
    if (goes_[node]) return {Predicate::none, "to go as well"};
    if (std::ranges::binary_search(scene_->going, node)) return {Predicate::none, "being removed"};
    if (scene_->health.nodes[node] != Standing::takes_pods) return {Predicate::none, "not ready"};
    Refusal out = placement_->why_not(subject, node);
    if (out.predicate == Predicate::none) out.sentence = "free once others have moved";
    return out;
}

NoPlace::Found NoPlace::look(Subject subject) const {
    Found out;
    const auto rank = [](const Near& n) { return std::tuple(n.predicate, n.cpu); };
    for (NodeIndex n = 0; n < goes_.size(); ++n) {
        const Refusal why = refusal(subject, n);
        ++out.nodes_by_refusal[in_short(why.sentence)];
        if (why.predicate == Predicate::none) continue;
        const Near near{n, why.predicate, placement_->free(n, cpu_index)};
        auto& [first, second] = out.nearest;
        if (first.node == no_node || rank(near) > rank(first)) {
            second = std::exchange(first, near);
        } else if (second.node == no_node || rank(near) > rank(second)) {
            second = near;
        }
    }
    return out;
}

std::string NoPlace::describe(PodIndex pod, Subject subject) const {
    const Cluster& cluster = scene_->snapshot->cluster;
    std::string needs;
    for (const Request& request : placement_->rules().requests(subject)) {
        if (request.resource == pods_index) continue;
        const std::string_view name = cluster.resource_name(request.resource);
        needs += (needs.empty() ? " (" : ", ") + std::string(name) + " " +
                 format_amount(name, request.amount);
    }
    return "pod " + full_name(cluster, pod) + needs + (needs.empty() ? "" : ")") +
           " finds no other place";
}

std::string NoPlace::explain(PodIndex pod, Subject subject, NodeIndex its_node) {
    std::string out = describe(pod, subject);
    const bool is_alone = !placement_->rules().looks_at_pods(subject);
    const auto known = is_alone ? known_.find(twins_[subject]) : known_.end();
    if (known == known_.end() && looked_at_ >= most_looked_at) return out;
    Found found = known != known_.end() ? known->second : look(subject);
    if (known == known_.end()) {
        looked_at_ += goes_.size();
        if (is_alone) known_.emplace(twins_[subject], found);
    }
    const auto own = found.nodes_by_refusal.find(in_short(refusal(subject, its_node).sentence));
    if (--own->second == 0) found.nodes_by_refusal.erase(own);

    std::vector<std::pair<int, std::string>> counts;
    for (const auto& [refusal, nodes] : found.nodes_by_refusal)
        counts.emplace_back(-nodes, refusal);
    std::ranges::sort(counts);
    out += ", 0/" + std::to_string(goes_.size() - 1) + " nodes";
    if (counts.empty()) return out;
    out += ": " + listed(counts, [](const auto& count) {
               return std::to_string(-count.first) + " " + count.second;
           });
    const auto near = std::ranges::find_if(
        found.nearest, [&](const Near& n) { return n.node != no_node && n.node != its_node; });
    if (near == found.nearest.end()) return out;
    const Cluster& cluster = scene_->snapshot->cluster;
    return out + "; nearest is " + std::string(cluster.text(cluster.node(near->node).name)) + ": " +
           placement_->why_not(subject, near->node).sentence;
}

}  // namespace capstan::engine
