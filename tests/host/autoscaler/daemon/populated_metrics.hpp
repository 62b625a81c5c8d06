/// Metrics of a daemon with a value in each of upstream's families.
#pragma once

#include <prometheus/registry.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/daemon/daemon_metrics.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {

using namespace std::chrono_literals;

inline const Time populated_at = time_from_unix_ns(1'750'000'000'000'000'000);
inline const NodeGroupId group_a("a"), group_b("b");

/// Four passes with every event that is counted.
struct PopulatedMetrics {
    PopulatedMetrics() {
        metrics.waited(1s);
        metrics.reconfigured(1s);
        metrics.pass_began(populated_at, Duration(0));
        PassReport first = report();
        first.memory.unneeded["n2"] = {.since = populated_at};
        first.memory.removals = {{"n1", removal(engine::RemovalPhase::deleting, true)},
                                 {"n3", removal(engine::RemovalPhase::draining, false)},
                                 {"n4", removal(engine::RemovalPhase::tainting, true)},
                                 {"n5", removal(engine::RemovalPhase::deleting, false)}};
        observe(first);
        observe(busy_report());
        PassReport last = report();
        for (const char* node : {"n3", "n4", "n5"})
            last.memory.removals.emplace(
                node, removal(engine::RemovalPhase::undoing, node == std::string("n4")));
        observe(last);
        observe(report());
    }
    void observe(const PassReport& pass) { metrics.observe(pass, health_after(pass)); }

    engine::NodeRemoval removal(engine::RemovalPhase phase, bool empty) const {
        return {.group = group_a,
                .phase = phase,
                .empty = empty,
                .since = populated_at,
                .phase_since = populated_at};
    }
    PassReport report() const {
        engine::snapshot::ClusterBuilder builder;
        for (const char* name : {"n1", "n2", "n3"})
            builder.set(
                engine::snapshot::NodeObject{.name = name,
                                             .provider_id = name,
                                             .taints = {{.key = "dedicated"}},
                                             .capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 1}}});
        builder.set(engine::snapshot::PodObject{.ns = "shop", .name = "web-1", .uid = "u1"});
        const auto described = std::make_shared<const NodeTemplate>(
            NodeTemplate{.capacity = {{"cpu", 4000}, {"nvidia.com/gpu", 1}}});
        std::vector<engine::Group> groups{
            {.group = {.id = group_a, .min = 0, .max = 5, .target = 3}, .described = described},
            {.group = {.id = group_b, .min = 0, .max = 5, .target = 0}, .described = described}};
        PassReport out(PassInput{
            .snapshot = {builder.build(),
                         std::make_shared<const std::vector<engine::Group>>(std::move(groups))}});
        out.result.outcome.decision.nodes = {
            {.node = "n2", .reason = engine::Unremovable::not_underutilized}};
        out.memory.started = true;
        out.at = populated_at;
        out.times.soft_taints = 1s;
        for (const auto part : {engine::PassPhase::remember, engine::PassPhase::find_pending,
                                engine::PassPhase::place_pending, engine::PassPhase::scale_up,
                                engine::PassPhase::make_options, engine::PassPhase::explain,
                                engine::PassPhase::find_unneeded, engine::PassPhase::scale_down})
            out.result.part_times[part] = 1s;
        return out;
    }
    /// One group grows, the other fails to grow; one node is removed, three removals are under way.
    PassReport busy_report() const {
        PassReport out = report();
        engine::Decision& decision = out.result.outcome.decision;
        decision.options = {{.group = group_a, .pods = {{.count = 1}}}};
        decision.increases = {{.group = group_a, .by = 1}, {.group = group_b, .by = 1}};
        out.results.increases = {std::nullopt, Error{ErrorCode::quota, "no more"}};
        out.memory.backoffs[group_b] = {
            .until = populated_at + 5min, .last_failure = populated_at, .code = ErrorCode::quota};
        decision.removals = {{.group = group_a, .machines = {MachineId("n1")}, .nodes = {"n1"}}};
        out.results.removals = {{}};
        out.memory.removals = {{"n1", removal(engine::RemovalPhase::removed, true)},
                               {"n3", removal(engine::RemovalPhase::draining, false)},
                               {"n4", removal(engine::RemovalPhase::tainting, true)},
                               {"n5", removal(engine::RemovalPhase::deleting, false)}};
        return out;
    }

    prometheus::Registry registry;
    DaemonMetrics metrics{registry};
};

}  // namespace capstan::autoscaler::daemon
