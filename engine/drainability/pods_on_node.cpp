#include "engine/drainability/pods_on_node.hpp"

#include <algorithm>
#include <compare>
#include <string_view>

namespace capstan::engine::drainability {
namespace {

/// Pods with their namespaces and names, for sorting.
class PodsByName {
public:
    PodsByName(const snapshot::Cluster& cluster, std::size_t most) : cluster_(cluster) {
        pods_.reserve(most);
    }

    void add(PodIndex pod) {
        const PodGroupId id = cluster_.equivalence_group_of(pod);
        pods_.push_back({cluster_.text(cluster_.equivalence_group(id).ns),
                         cluster_.text(cluster_.pod(pod).name), pod});
    }
    std::vector<PodIndex> sorted() {
        std::ranges::sort(pods_);
        std::vector<PodIndex> out;
        out.reserve(pods_.size());
        for (const Named& pod : pods_) out.push_back(pod.index);
        return out;
    }
    std::optional<PodIndex> first() const {
        const auto at = std::ranges::min_element(pods_);
        return at == pods_.end() ? std::nullopt : std::optional(at->index);
    }

private:
    struct Named {
        std::string_view ns, name;
        PodIndex index;
        std::strong_ordering operator<=>(const Named& other) const noexcept {
            // Each text is stored once, so equal namespaces mostly have equal addresses.
            if (ns.data() != other.ns.data()) {
                if (const auto order = ns <=> other.ns; order != 0) return order;
            }
            return name <=> other.name;
        }
        bool operator==(const Named& other) const noexcept { return (*this <=> other) == 0; }
    };
    const snapshot::Cluster& cluster_;
    std::vector<Named> pods_;
};

void note(std::optional<Time>& earliest, std::optional<Time> time) {
    if (time) earliest = std::min(earliest.value_or(*time), *time);
}

/// The next moment at which the drain rules give another verdict on the pod; absent: there is
/// none.
std::optional<Time> changes_at(const snapshot::PodRow& pod, Drain drain,
                               const DrainContext& context) {
    if (const auto last =
            given_up_after(pod, context.cluster.equivalence_group(pod.equivalence_group))) {
        const Time after = context.time.measured(*last);
        return after < context.time.now || after == Time::max()
                   ? std::nullopt
                   : std::optional(after + Duration(1));
    }
    return drain == Drain::block ? judge(pod, context).until : std::nullopt;
}

}  // namespace

DrainJudge::DrainJudge(const DrainContext& context)
    : context_(context), verdicts_(context.cluster.pod_group_count()) {}

const DrainJudge::CachedVerdict& DrainJudge::cached_verdict(PodIndex pod) {
    CachedVerdict& out = verdicts_[context_.cluster.equivalence_group_of(pod)];
    if (out.cached != Cached::nothing) return out;
    // Of a pod that is not being deleted, the drain rules read only its equivalence group and its
    // age. If the youngest and the oldest possible pod get the same verdict, all pods do.
    snapshot::PodRow any = context_.cluster.pod(pod);
    any.created = context_.time.wall;
    const DrainVerdict young = engine::drainability::judge(any, context_);
    any.created = Time();
    const DrainVerdict old = engine::drainability::judge(any, context_);
    out = {.cached =
               young.drain == old.drain && young.rule == old.rule ? Cached::same : Cached::differs,
           .drain = young.drain};
    return out;
}

Drain DrainJudge::judge(PodIndex pod) {
    if (!context_.cluster.is_deleted(pod)) {
        const CachedVerdict& verdict = cached_verdict(pod);
        if (verdict.cached == Cached::same) return verdict.drain;
    }
    return engine::drainability::judge(pod, context_).drain;
}

NodePods DrainJudge::sort(NodeIndex node) {
    const snapshot::Cluster& cluster = context_.cluster;
    const auto pods = cluster.pods_on(node);
    NodePods out;
    std::vector<Drain> drains;
    drains.reserve(pods.size());
    for (const PodIndex pod : pods) {
        drains.push_back(judge(pod));
        if (cluster.is_deleted(pod) || drains.back() == Drain::block) {
            note(out.changes_at, changes_at(cluster.pod(pod), drains.back(), context_));
        }
    }
    const auto of = [&](Drain drain) {
        PodsByName found(cluster, pods.size());
        for (std::size_t i = 0; i < pods.size(); ++i) {
            if (drains[i] == drain) found.add(pods[i]);
        }
        return found;
    };
    out.waits_for = of(Drain::wait).first();
    out.blocked_by = of(Drain::block).first();
    if (out.blocked_by) return out;
    out.moving = of(Drain::move).sorted();
    out.daemons = of(Drain::daemon).sorted();
    return out;
}

std::string full_name(const snapshot::Cluster& cluster, PodIndex pod) {
    const snapshot::PodRow row = cluster.pod(pod);
    std::string out(cluster.text(cluster.equivalence_group(row.equivalence_group).ns));
    return out.append("/").append(cluster.text(row.name));
}

}  // namespace capstan::engine::drainability
