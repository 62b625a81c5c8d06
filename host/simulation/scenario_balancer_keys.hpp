/// The keys of a scenario file: Balancers.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/scenario_object_keys.hpp"

namespace capstan::simulation::keys {

/// In the file a name or a table: `"web-a"`, `{ name = "web-a", weight = 60 }`.
struct BalancerTarget {
    std::string name;
    int weight = 1, min = 0;
    std::optional<int> max;
};
void describe(auto&& key, BalancerTarget& s) {
    key("name", s.name, "A batch with a controller.");
    key("weight", s.weight, "Its part, if shares are proportional.");
    key("min", s.min, "Pods that it has in any case.");
    key("max", s.max, "Pods that it has at most; unset: any number.");
}

enum class SharingPolicy { proportional, priority };
constexpr auto names_of(SharingPolicy) {
    return std::array<std::string_view, 2>{"proportional", "priority"};
}

struct Balancer {
    std::string name;
    std::string ns = "default";
    int replicas = 1;
    std::map<std::string, std::string> labels;
    SharingPolicy policy = SharingPolicy::proportional;
    std::optional<Duration> startup_timeout;
    std::vector<BalancerTarget> targets;
};
void describe(auto&& key, Balancer& s) {
    key("name", s.name, "The Balancer's name.");
    key("namespace", s.ns, "Its namespace, which its targets share.");
    key("replicas", s.replicas, "Pods wanted of all targets together.");
    key("labels", s.labels,
        "The pods of all targets, by their labels; empty: all of the namespace.");
    key("policy", s.policy, "\"proportional\": by weight; \"priority\": in the order of targets.");
    key("startup_timeout", s.startup_timeout,
        "How long a pod may wait before it is asked of other targets, too; unset: for ever.");
    key("targets", s.targets, "Among whom they are shared out.", {.shorthand = "name"});
}

}  // namespace capstan::simulation::keys
