// Passes over two nodes in group a, as one observer sees them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "engine/removal/phases.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::autoscaler::pass_metrics {

inline const NodeGroupId group_a("a");

struct ObservedPass : testing::Test {
    using MakeObserver = std::unique_ptr<PassObserver> (*)(prometheus::Registry& registry);
    explicit ObservedPass(MakeObserver make) : observer(make(registry)) {
        groups.push_back({.group = {.id = group_a, .min = 1, .max = 5, .target = 2}});
        for (const char* const name : {"n1", "n2"}) {
            groups.front().machines.push_back({.id = MachineId(name), .group = group_a});
            set_node({.name = name});
        }
    }
    /// Sets a node of 4 cores and 1 GiB, unless it says otherwise.
    void set_node(engine::snapshot::NodeObject node) {
        node.provider_id = node.name;
        if (node.capacity.empty()) node.capacity = {{"cpu", 4000}, {"memory", 1 << 30}};
        builder.set(node);
    }
    engine::Snapshot snapshot() {
        return {builder.build(), std::make_shared<const std::vector<engine::Group>>(groups)};
    }
    /// The exposition after a pass. Its decision, results and figures are empty afterwards.
    std::string pass() {
        const engine::Snapshot seen = snapshot();
        observer->observe(
            observation(seen),
            health ? *health
                   : engine::health::assess(seen, engine::templates::make_membership(seen), memory,
                                            settings, now));
        decision = {};
        results = {};
        figures = {};
        return prometheus::TextSerializer().Serialize(registry.Collect());
    }
    /// Results that arrived after the pass that decided on the actions.
    void late_results() {
        const engine::Snapshot seen = snapshot();
        observer->observe_late(observation(seen));
        decision = {};
        results = {};
    }
    PassObservation observation(const engine::Snapshot& seen) const {
        return {.snapshot = seen,
                .settings = settings,
                .decision = decision,
                .results = results,
                .memory = memory,
                .figures = figures,
                .at = now};
    }

    prometheus::Registry registry;
    std::unique_ptr<PassObserver> observer;
    engine::snapshot::ClusterBuilder builder;
    std::vector<engine::Group> groups;
    engine::Settings settings;
    engine::Decision decision;
    engine::Results results;
    engine::Memory memory{.started = true};
    engine::PassFigures figures;
    std::optional<engine::health::Health> health;  ///< absent: as the engine assesses it
    const Time noon = time_from_unix_ns(1'750'000'000'000'000'000);
    Time now = noon;
};

}  // namespace capstan::autoscaler::pass_metrics
