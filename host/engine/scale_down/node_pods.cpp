#include "engine/scale_down/node_pods.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace capstan::engine {
namespace {

/// Pods with what they are sorted by.
class ByName {
public:
    explicit ByName(const Cluster& cluster) : cluster_(cluster) {}

    void add(PodIndex index, const PodRow& pod) {
        pods_.push_back(
            {cluster_.text(cluster_.pod_class(pod.pod_class).ns), cluster_.text(pod.name), index});
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
        auto operator<=>(const Named&) const = default;
    };
    const Cluster& cluster_;
    std::vector<Named> pods_;
};

void note(std::optional<Time>& earliest, std::optional<Time> time) {
    if (time) earliest = std::min(earliest.value_or(*time), *time);
}

/// When judging the pod again would give something else.
std::optional<Time> changes_at(const PodRow& pod, Drain drain, const DrainContext& context) {
    if (pod.deleted) {
        const auto after = given_up_after(pod, context.cluster.pod_class(pod.pod_class));
        return *after < context.now || *after == Time::max() ? std::nullopt
                                                             : std::optional(*after + Duration(1));
    }
    return drain == Drain::block ? judge(pod, context).until : std::nullopt;
}

}  // namespace

DrainJudge::DrainJudge(const DrainContext& context)
    : context_(context), classes_(context.cluster.class_count()) {}

const DrainJudge::OfClass& DrainJudge::of_class(const PodRow& pod) {
    OfClass& out = classes_[pod.pod_class];
    if (out.known != Known::nothing) return out;
    // Rules look at nothing but the age of pods of a class that are not being deleted. Where they
    // think the same of the youngest and of the oldest, they do of all.
    PodRow any = pod;
    any.created = context_.now;
    const DrainVerdict young = engine::judge(any, context_);
    any.created = Time();
    const DrainVerdict old = engine::judge(any, context_);
    out = {
        .known = young.drain == old.drain && young.rule == old.rule ? Known::same : Known::differs,
        .drain = young.drain};
    return out;
}

Drain DrainJudge::judge(PodIndex pod) {
    const PodRow row = context_.cluster.pod(pod);
    if (!row.deleted) {
        const OfClass& known = of_class(row);
        if (known.known == Known::same) return known.drain;
    }
    return engine::judge(row, context_).drain;
}

NodePods DrainJudge::sort(NodeIndex node) {
    const Cluster& cluster = context_.cluster;
    NodePods out;
    std::array<std::optional<ByName>, 5> by_drain;
    for (const PodIndex pod : cluster.pods_on(node)) {
        const Drain drain = judge(pod);
        const PodRow row = cluster.pod(pod);
        if (row.deleted || drain == Drain::block) {
            note(out.changes_at, changes_at(row, drain, context_));
        }
        auto& same = by_drain[static_cast<std::size_t>(drain)];
        if (!same) same.emplace(cluster);
        same->add(pod, row);
    }
    const auto of = [&](Drain drain) -> std::optional<ByName>& {
        return by_drain[static_cast<std::size_t>(drain)];
    };
    if (of(Drain::wait)) out.waits_for = of(Drain::wait)->first();
    if (of(Drain::block)) {
        out.blocked_by = of(Drain::block)->first();
        return out;
    }
    if (of(Drain::move)) out.moving = of(Drain::move)->sorted();
    if (of(Drain::daemon)) out.daemons = of(Drain::daemon)->sorted();
    return out;
}

std::string full_name(const Cluster& cluster, PodIndex pod) {
    const PodRow row = cluster.pod(pod);
    std::string out(cluster.text(cluster.pod_class(row.pod_class).ns));
    return out.append("/").append(cluster.text(row.name));
}

}  // namespace capstan::engine
