/// A run for tests of invariants about waste: a test passes facts to an invariant.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "config/toml_values.hpp"
#include "invariant_case.hpp"

namespace capstan::simulator::chaos {

/// A group "web" of machines with four cores, which boot in a minute and need 20 seconds more to
/// become ready nodes. The invariant gets everything that a run would tell it.
struct WasteCase : InvariantCase {
    Input input;
    std::vector<SimulatedCloud> clouds;
    Time end_at = noon + 8h;
    std::vector<std::string> violations;

    WasteCase() {
        node.name.clear();
        group.machines.clear();
        group.group.min = 0;
        group.group.max = 50;
        group.group.target = 0;
        config::TomlValue web;
        web.children = {config::text_value("id", "web"), config::text_value("boot", "60s")};
        clouds.emplace_back();
        list_of(clouds.back().settings, "groups").children.push_back(std::move(web));
    }

    void begin(Invariant& invariant) {
        invariant_ = &invariant;
        invariant.on_start({.input = input, .clouds = clouds, .calm = calm, .end = end_at});
        see();
    }
    /// Virtual time goes on, and a pass sees the machines.
    void after(Duration time) {
        now += time;
        see();
    }
    void see() { keep(pass(*invariant_)); }
    std::vector<std::string> finish() {
        keep(end(*invariant_, end_at));
        return std::exchange(violations, {});
    }
    std::vector<std::string> take() { return std::exchange(violations, {}); }

    void tell(Fact fact) {
        fact.at = now;
        keep(invariant_->on_fact(fact));
    }

    engine::snapshot::PodObject object(std::int64_t cpu = 1000) const {
        return {.name = "web",
                .spec = {.requests = {{"cpu", cpu}}},
                .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"}};
    }
    void tell_pod(FactKind kind, const std::string& pod, const std::string& on = {},
                  Cause cause = Cause::scenario) {
        tell({.kind = kind,
              .cause = cause,
              .pod = pod,
              .batch = "default/web",
              .node = on,
              .group = on.empty() ? "" : "web",
              .pod_object = &pod_object,
              .node_object = on.empty() ? nullptr : &node});
    }
    void arrive(const std::string& pod) { tell_pod(FactKind::pod_arrived, pod); }
    void bind(const std::string& pod, const std::string& on) {
        tell_pod(FactKind::pod_bound, pod, on, Cause::scheduler);
    }
    void gone(const std::string& pod, const std::string& on = {}) {
        tell_pod(FactKind::pod_gone, pod, on);
    }
    /// The pod is evicted, and its controller makes another one, which gets a node.
    void move(const std::string& pod, const std::string& from, const std::string& then,
              const std::string& to) {
        tell_pod(FactKind::pod_evicted, pod, from, Cause::autoscaler);
        gone(pod, from);
        tell_pod(FactKind::pod_arrived, then, {}, Cause::controller);
        bind(then, to);
    }

    void order(int machines, const std::string& of = "web") {
        tell({.kind = FactKind::machines_ordered,
              .cause = Cause::autoscaler,
              .group = of,
              .count = machines});
        for (int i = 0; i < machines; ++i)
            group.machines.push_back({.id = MachineId("web/" + std::to_string(++last_)),
                                      .group = NodeGroupId("web"),
                                      .state = MachineState::creating});
        group.group.target = static_cast<int>(group.machines.size());
    }
    /// Machine web/1 runs and its node web-1 joins and is ready.
    void join(int number) {
        const std::string id = "web/" + std::to_string(number), name = node_of(number);
        engine::snapshot::NodeObject joined = node;
        joined.name = name;
        joined.ready = true;
        const Fact fact{.cause = Cause::cloud,
                        .node = name,
                        .group = "web",
                        .machine = id,
                        .node_object = &joined};
        for (const FactKind kind : {FactKind::machine_started, FactKind::machine_joined,
                                    FactKind::node_joined, FactKind::node_ready}) {
            Fact next = fact;
            next.kind = kind;
            tell(next);
        }
    }
    void remove(int number) {
        const std::string id = "web/" + std::to_string(number), name = node_of(number);
        engine::snapshot::NodeObject left = node;
        tell({.kind = FactKind::removal_agreed,
              .cause = Cause::autoscaler,
              .node = name,
              .group = "web",
              .machine = id});
        tell({.kind = FactKind::machine_ended,
              .cause = Cause::autoscaler,
              .node = name,
              .group = "web",
              .machine = id});
        tell({.kind = FactKind::node_gone,
              .cause = Cause::autoscaler,
              .node = name,
              .group = "web",
              .node_object = &left});
        std::erase_if(group.machines, [&](const Machine& m) { return m.id.value() == id; });
    }
    static std::string node_of(int number) { return "web-" + std::to_string(number); }

    engine::snapshot::PodObject pod_object = object();

private:
    void keep(std::vector<std::string> found) {
        violations.insert(violations.end(), found.begin(), found.end());
    }

    Invariant* invariant_ = nullptr;
    int last_ = 0;
};

using ChurnInvariant = WasteCase;
using OrdersInvariant = WasteCase;
using ReturnsInvariant = WasteCase;
using NodeHoursInvariant = WasteCase;

}  // namespace capstan::simulator::chaos
