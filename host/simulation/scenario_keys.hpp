/// The keys of a scenario file: the file itself. Each key's meaning, type and default stand in
/// these headers; the table in tests/scenarios/README.md is for readers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/scaling.hpp"
#include "simulation/scenario_balancer_keys.hpp"
#include "simulation/scenario_step_keys.hpp"

namespace capstan::simulation::keys {

/// The whole file but for the sections of a configuration, and what the simulated cloud is told.
struct Scenario {
    std::string title;
    int seed = 0;
    std::optional<Duration> scan_interval;
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    std::optional<std::string> config;
    std::vector<Node> node;
    std::vector<DaemonSet> daemon_set;
    std::vector<ReplicaSet> replica_set;
    std::vector<StatefulSet> stateful_set;
    std::vector<Budget> budget;
    std::vector<Service> service;
    std::vector<Balancer> balancer;
    std::vector<Fault> fault;
    bool scheduler = true;
    std::optional<std::vector<runtime::DefaultSpread>> scheduler_spread;
    std::vector<Command> expect_only;
    std::vector<Step> step;
};
void describe(auto&& key, Scenario& s) {
    key("title", s.title, "One sentence about the product.");
    key("seed", s.seed, "Chance is made of this.");
    key("scan_interval", s.scan_interval,
        "Time between passes; unset: as the configuration says, \"10s\".",
        {.min = std::chrono::milliseconds(100)});
    key("register_delay", s.register_delay, "From a machine running to its node joining.");
    key("ready_delay", s.ready_delay, "From a node joining to its being ready.");
    key("config", s.config, "A configuration file for what is not said here, below this folder.");
    key("node", s.node, "Nodes that are there from the start, of no group.");
    key("daemon_set", s.daemon_set, "One pod on each node that takes it.");
    key("replica_set", s.replica_set, "Pods that are there from the start, with a controller.");
    key("stateful_set", s.stateful_set, "The same, under names that stay, one after the other.");
    key("budget", s.budget, "PodDisruptionBudgets that are there from the start.");
    key("service", s.service, "Services that are there from the start.");
    key("balancer", s.balancer, "Balancers of a live cluster, which have it from the start.");
    key("fault", s.fault, "What goes wrong.");
    key("scheduler", s.scheduler, "false: pods get nodes by a step's `bind` alone.");
    key("scheduler_spread", s.scheduler_spread,
        "Its default constraints, DoNotSchedule; unset: what scale_up.default_spread says.",
        {.shorthand = "topology_key"});
    key("expect_only", s.expect_only,
        "The commands that `expect` of each step looks at; empty: all.");
    key("step", s.step, "What happens, one after the other.");
}

}  // namespace capstan::simulation::keys
