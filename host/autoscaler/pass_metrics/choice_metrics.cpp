#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <capstan/quantity.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "engine/each_action.hpp"
#include "engine/health/backoff.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

const prometheus::Histogram::BucketBoundaries kinds_buckets{1, 2, 4, 8, 16, 32};

/// The instance type of a group's new machines.
struct InstanceOffering {
    std::string type{};   ///< empty: there is no label of the instance type
    std::string cores{};  ///< "4"; empty: unknown
};

std::string cores_of(const Resources& capacity) {
    return to_string(MilliCpu(capacity.amount("cpu")));
}

/// From the cloud's description of the group, or else from the group's first node by name.
InstanceOffering offering_of(const engine::Snapshot& snapshot, const NodeGroupId& id) {
    const engine::Group* group = engine::find_group(snapshot, id);
    if (group == nullptr) return {};
    if (group->described) {
        const auto label = group->described->labels.find(well_known::instance_type_label);
        const bool is_there = label != group->described->labels.end();
        return {is_there ? label->second : "", cores_of(group->described->capacity)};
    }
    const engine::templates::Membership membership = engine::templates::make_membership(snapshot);
    const auto& nodes = membership.nodes[static_cast<std::size_t>(group - snapshot.groups->data())];
    if (nodes.empty()) return {};
    const engine::snapshot::NodeRow& node = snapshot.cluster.node(nodes.front());
    const auto label = engine::snapshot::find_label(snapshot.cluster, node.labels,
                                                    well_known::instance_type_label);
    return {label ? std::string(snapshot.cluster.text(*label)) : "", cores_of(*node.capacity)};
}

/// Upstream's buckets as label values, which bound the number of series.
std::string count_word(std::size_t namespaces) {
    if (namespaces <= 5) return std::to_string(namespaces);
    return namespaces <= 10 ? "6-10" : "11+";
}

std::size_t count_namespaces(const engine::snapshot::Cluster& cluster,
                             const std::vector<engine::PodCount>& pods) {
    std::set<engine::snapshot::Symbol> out;
    for (const engine::PodCount& some : pods)
        out.insert(cluster.equivalence_group(some.equivalence_group).ns);
    return out.size();
}

int find_count(const std::map<std::string, int>& counts, const char* total) {
    const auto at = counts.find(total);
    return at == counts.end() ? 0 : at->second;
}

class ChoiceMetrics final : public PassObserver {
public:
    explicit ChoiceMetrics(prometheus::Registry& registry) : registry_(registry) {
        for (const char* direction : {"up", "down"})
            for (const char* reason : {"CpuResourceLimit", "MemoryResourceLimit"})
                skipped_.Add({{"direction", direction}, {"reason", reason}});
    }
    void observe(const PassObservation& pass, const engine::health::Health&) override {
        count_kinds(pass);
        count_limits(pass);
        observe_late(pass);
    }
    void observe_late(const PassObservation& pass) override;

private:
    void count_kinds(const PassObservation& pass);
    void count_limits(const PassObservation& pass);

    prometheus::Registry& registry_;
    Histograms& kinds_ =
        histograms(registry_, "cluster_autoscaler_binpacking_heterogeneity",
                   "Pod equivalence groups in the scale-up options that were chosen.");
    Counters& skipped_ =
        counters(registry_, "cluster_autoscaler_skipped_scale_events_count",
                 "Up: node groups that did not grow because of a maximum of cpu or memory. "
                 "Down: nodes kept because of a minimum. Counted in each pass.");
    prometheus::Counter& created_ =
        counters(registry_, "cluster_autoscaler_created_node_groups_total",
                 "Node groups created by clouds.")
            .Add({{"group_type", ""}});
    prometheus::Counter& deleted_ =
        counters(registry_, "cluster_autoscaler_deleted_node_groups_total",
                 "Node groups deleted by clouds.")
            .Add({{"group_type", ""}});
};

void ChoiceMetrics::count_kinds(const PassObservation& pass) {
    for (const engine::ChosenOption& option : pass.decision.options) {
        const InstanceOffering offering = offering_of(pass.snapshot, option.group);
        const std::size_t namespaces = count_namespaces(pass.snapshot.cluster, option.pods);
        kinds_
            .Add({{"instance_type", offering.type},
                  {"cpu_count", offering.cores},
                  {"namespace_count", count_word(namespaces)}},
                 kinds_buckets)
            .Observe(static_cast<double>(option.pods.size()));
    }
}

void ChoiceMetrics::count_limits(const PassObservation& pass) {
    const auto count = [&](const char* direction, const std::map<std::string, int>& counts) {
        skipped_.Add({{"direction", direction}, {"reason", "CpuResourceLimit"}})
            .Increment(find_count(counts, "cpu"));
        skipped_.Add({{"direction", direction}, {"reason", "MemoryResourceLimit"}})
            .Increment(find_count(counts, "memory"));
    };
    count("up", pass.figures.at_maximum);
    count("down", pass.figures.at_minimum);
}

void ChoiceMetrics::observe_late(const PassObservation& pass) {
    for_each_action(
        pass.decision, pass.results,
        engine::Visitors{[&](const engine::GroupCreation&, const engine::ActionResult& result) {
                             if (result.is_done()) created_.Increment();
                         },
                         [&](const engine::GroupDeletion&, const engine::ActionResult& result) {
                             if (result.is_done()) deleted_.Increment();
                         },
                         [](const auto&, const engine::ActionResult&) {}});
}

}  // namespace

std::unique_ptr<PassObserver> make_choice_metrics(prometheus::Registry& registry) {
    return std::make_unique<ChoiceMetrics>(registry);
}

}  // namespace capstan::autoscaler::pass_metrics
