/// A pass over a small cluster, with policies whose results are easy to predict.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/pass/pass.hpp"
#include "test_cluster.hpp"

namespace capstan::engine {

/// Keeps the first of the listed groups that is an option, or all options if none is listed.
class PreferenceExpander : public Expander {
public:
    explicit PreferenceExpander(std::vector<std::string> groups) : groups_(std::move(groups)) {}
    Result<FilterResult> filter(const ScaleUpQuestion& question,
                                std::span<const std::uint32_t> among,
                                const CallContext& call_context) override {
        questions.push_back(question);
        seeds.push_back(call_context.seed);
        const auto rank = [&](std::uint32_t option) {
            return std::ranges::find(groups_, question.options[option].group.id.value()) -
                   groups_.begin();
        };
        const auto best = rank(*std::ranges::min_element(among, {}, rank));
        FilterResult out;
        for (const std::uint32_t option : among) {
            if (rank(option) == best) out.kept.push_back({option, 0});
        }
        return out;
    }
    std::vector<ScaleUpQuestion> questions{};
    std::vector<std::uint64_t> seeds{};

private:
    std::vector<std::string> groups_;
};

/// Gives one node at a time to the smallest group.
class EvenSplitter : public Splitter {
public:
    Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                   const CallContext&) override {
        splits.push_back(nodes);
        std::vector<int> out(groups.size(), 0);
        for (; nodes > 0; --nodes) {
            std::optional<std::size_t> smallest;
            const auto size = [&](std::size_t i) { return *groups[i].target + out[i]; };
            for (std::size_t i = 0; i < groups.size(); ++i) {
                const bool full = size(i) >= *groups[i].max;
                if (!full && (!smallest || size(i) < size(*smallest))) smallest = i;
            }
            if (smallest) ++out[*smallest];
        }
        return out;
    }
    std::vector<int> splits{};
};

/// Templates with equal capacity are similar.
class SameCapacity : public SimilarityCheck {
public:
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const CallContext&) override {
        ++compared;
        return a.capacity == b.capacity ? agrees("same capacity") : differs("capacity");
    }
    bool may_decide() const override { return false; }
    Result<std::uint64_t> bucket(const NodeTemplate&, const CallContext&) override {
        return fail(ErrorCode::unsupported, "no buckets");
    }
    int compared = 0;
};

struct PassCase {
    TestCluster test_cluster{};
    Settings settings{.template_source = TemplateSource::cloud};
    Memory memory{};
    CallContext call_context{.seed = 7, .now = noon};
    PreferenceExpander expander{{}};
    EvenSplitter splitter{};
    SameCapacity check{};
    TimeLimit* time_limit = nullptr;

    /// A group with a template, in a zone if one is given.
    Group& group(const std::string& id, int target, std::optional<int> max,
                 const Resources& machine = amounts(4000), const std::string& zone = {}) {
        Group& out = test_cluster.group(id, target);
        out.group.max = max;
        // Its machines exist and have no free cpu.
        for (int n = 0; n < target; ++n) {
            snapshot::NodeObject& node = test_cluster.node(id + "-node-" + std::to_string(n), id);
            node.capacity = machine;
            node.allocatable = {{"cpu", 0}};
            if (!zone.empty()) node.labels["topology.kubernetes.io/zone"] = zone;
        }
        NodeTemplate& described = test_cluster.describe(id, machine);
        if (!zone.empty()) described.labels["topology.kubernetes.io/zone"] = zone;
        return out;
    }
    /// Adds `count` equivalent pods, "name-0" and so on.
    template <class Change>
    void pods(const std::string& name, int count, std::int64_t cpu, Change change) {
        for (int n = 0; n < count; ++n) {
            snapshot::PodObject& pod = test_cluster.pod(name + "-" + std::to_string(n));
            pod.labels = {{"app", name}};
            pod.spec.requests = {{"cpu", cpu}};
            change(pod);
        }
    }
    void pods(const std::string& name, int count, std::int64_t cpu) {
        pods(name, count, cpu, [](snapshot::PodObject&) {});
    }
    Policies policies() {
        return {.chain = {{"prefers", &expander}},
                .similarity = {{"same_capacity", &check}},
                .splitter = &splitter,
                .time_limit = time_limit};
    }
    pass::Outcome run() { return run(test_cluster.snapshot()); }
    pass::Outcome run(const Snapshot& snapshot) {
        return pass::run_pass(snapshot, memory, policies(), settings, call_context);
    }
    Decision decide() { return run().decision; }
};

/// The increase of each group.
inline std::map<std::string, int> growth(const Decision& decision) {
    std::map<std::string, int> out;
    for (const Increase& increase : decision.increases) out[increase.group.value()] += increase.by;
    return out;
}
inline int count(const std::vector<PodCount>& pods) {
    int sum = 0;
    for (const PodCount& of_pod_group : pods) sum += static_cast<int>(of_pod_group.count);
    return sum;
}
inline int count_unschedulable(const Decision& decision) {
    int sum = 0;
    for (const UnschedulablePods& unschedulable : decision.unschedulable)
        sum += static_cast<int>(unschedulable.pods.count);
    return sum;
}
inline int skipped(const Decision& decision, const std::string& because) {
    for (const SkippedPods& pods : decision.skipped) {
        if (pods.because == because) return static_cast<int>(pods.count);
    }
    return 0;
}
using Growths = std::map<std::string, int>;

/// Constraints between the pods of a test.
inline constexpr const char* zone_key = "topology.kubernetes.io/zone";
inline constexpr const char* hostname_key = "kubernetes.io/hostname";
inline auto spread_over(const char* key, int max_skew = 1) {
    return [=](snapshot::PodObject& pod) {
        pod.spec.spread.push_back({.max_skew = max_skew,
                                   .topology_key = key,
                                   .selector = LabelSelector{.match_labels = pod.labels}});
    };
}
inline auto apart_on(const char* key) {
    return [=](snapshot::PodObject& pod) {
        pod.spec.pod_anti_affinity.push_back(
            {.selector = LabelSelector{.match_labels = pod.labels}, .topology_key = key});
    };
}

}  // namespace capstan::engine
