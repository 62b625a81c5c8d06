#include "engine/scale_down/relocation.hpp"

#include <algorithm>
#include <utility>

#include "engine/scale_up/spread_emulation.hpp"
#include "engine/scheduling/twins.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine {
namespace {

constexpr Subject no_subject = ~Subject{0};
constexpr int many = 1'000'000'000;  // more pods than there are

}  // namespace

Relocation::Relocation(const Scene& scene, Placement& placement, std::vector<NodeIndex> hints,
                       std::span<const NodeIndex> staying, std::span<const NodeIndex> undecided)
    : scene_(&scene),
      rules_(&placement.rules()),
      destinations_(scene, placement, staying, undecided),
      hints_(std::move(hints)) {
    const Cluster& cluster = scene.snapshot->cluster;
    const auto classes = rules_->subjects();
    subjects_.assign(cluster.class_count(), no_subject);
    for (Subject s = 0; s < classes.size(); ++s) {
        subjects_[classes[s]] = s;
        manners_.push_back(manner_of(placement, s));
    }
    where_.assign(cluster.pod_count(), no_node);
    hints_.resize(cluster.pod_count(), no_node);
    arrived_.resize(cluster.node_count());
}

Relocation::Manner Relocation::manner_of(Placement& placement, Subject subject) const {
    if (!rules_->looks_at_pods(subject)) return {.company = Company::none};
    const std::optional<SpreadDomains> spread = placement.spread(subject);
    if (!spread || spread->topology_key != zone_label) return {};
    const bool is_all = is_only_spread(*rules_, subject);
    const Cluster& cluster = scene_->snapshot->cluster;
    if (!is_emulated(cluster, rules_->subjects()[subject], *scene_->settings))
        return {.company = is_all ? Company::zones : Company::some};
    for (std::uint32_t domain = 0; domain < spread->domains.size(); ++domain)
        placement.allow(subject, domain, many);
    return {.company = is_all ? Company::none : Company::some, .stays_in_zone = true};
}

std::optional<Subject> Relocation::subject_of(PodIndex pod) const noexcept {
    const Subject subject = subjects_[scene_->snapshot->cluster.class_of(pod)];
    return subject == no_subject ? std::nullopt : std::optional(subject);
}

/// The largest first, which packs best; nothing: the rules do not know one of them.
std::optional<std::vector<Relocation::Leaving>> Relocation::leaving(
    NodeIndex node, std::span<const PodIndex> pods) const {
    std::vector<Leaving> out;
    out.reserve(pods.size() + arrived_[node].size());
    const auto add = [&](PodIndex pod) {
        const std::optional<Subject> subject = subject_of(pod);
        if (!subject) return false;
        const auto requests = rules_->requests(*subject);
        // Ascending by resource, so that cpu comes first where it is requested at all.
        const bool asks_cpu = requests.front().resource == cpu_index;
        const Manner& manner = manners_[*subject];
        Leaving& one = out.emplace_back();
        one.pod = pod;
        one.size = asks_cpu ? requests.front().amount : 0;
        one.mover = {.subject = *subject, .hint = hints_[pod], .company = manner.company};
        if (manner.stays_in_zone) {
            one.mover.zone = destinations_.zone_of(scene_->snapshot->cluster.pod(pod).node);
        }
        return true;
    };
    if (!std::ranges::all_of(pods, add)) return std::nullopt;
    if (!std::ranges::all_of(arrived_[node], add)) return std::nullopt;
    const auto rank = [](const Leaving& l) { return -l.size; };
    if (std::ranges::is_sorted(out, {}, rank)) return out;
    std::vector<std::size_t> order(out.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(rank(out[i]), i); });
    std::vector<Leaving> sorted;
    for (const std::size_t i : order) sorted.push_back(out[i]);
    return sorted;
}

bool Relocation::seat(const Leaving& pod) {
    const std::optional<NodeIndex> node = destinations_.seat(pod.mover);
    if (!node) return false;
    moves_.push_back({.pod = pod.pod, .before = where_[pod.pod]});
    where_[pod.pod] = *node;
    arrived_[*node].push_back(pod.pod);
    return true;
}

std::optional<PodIndex> Relocation::remove(NodeIndex node, std::span<const PodIndex> pods) {
    const Mark before = mark();
    auto left = leaving(node, pods);
    if (!left) return pods.front();
    destinations_.close(node);
    while (!left->empty()) {
        std::vector<Leaving> without;
        for (const Leaving& pod : *left) {
            if (seat(pod)) continue;
            without.push_back(pod);
            // Only who looks at others may find room once these have theirs.
            if (pod.mover.company == Company::none) break;
        }
        const bool is_hopeless =
            !without.empty() &&
            (without.size() == left->size() || without.back().mover.company == Company::none);
        if (is_hopeless) {
            undo(before);
            return without.back().pod;
        }
        *left = std::move(without);
    }
    return std::nullopt;
}

void Relocation::undo(const Mark& mark) {
    while (moves_.size() > mark.moves) {
        const Move move = moves_.back();
        moves_.pop_back();
        arrived_[where_[move.pod]].pop_back();
        where_[move.pod] = move.before;
    }
    destinations_.undo(mark.destinations);
}

}  // namespace capstan::engine
