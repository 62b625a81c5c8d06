/// What truly happens in a simulated cluster and its clouds, one fact at a time.
///
/// An event (report.hpp) is a line for people and counts pods of a batch together. A fact is about
/// one pod, node or machine, names what caused it, and does not depend on what the autoscaler sees
/// or remembers. The judge of chaos runs is built on facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/snapshot/objects.hpp"
#include "simulator/faults.hpp"

namespace capstan::simulator {

enum class FactKind : std::uint8_t {
    // Pods. `pod`, `batch`, `count` (replicas that the controller wants), `pod_object`, and
    // `node_object` if it has a node.
    pod_arrived,    ///< a pod exists and has no node
    pod_bound,      ///< `node`, `group`; also a pod of a DaemonSet, and one that runs at the start
    pod_evicted,    ///< the API server agreed to an eviction; `node`
    pod_completed,  ///< it ends by itself; `node`
    pod_deleted,    ///< a scale-down of its controller, or a deletion, ends it
    pod_lost,       ///< its node goes while it runs; `node`
    pod_gone,       ///< after each of the four above: its room is free now; `node`

    // Nodes. `node`, `group` (empty: none), `node_object`.
    node_joined,
    node_ready,
    node_unready,
    node_gone,

    // Machines. `group`.
    machines_ordered,  ///< a cloud agreed to an increase; `count`
    order_refused,     ///< a cloud refused an increase; `count`, `text`: why
    orders_withdrawn,  ///< a cloud agreed to a decrease without removing machines; `count`
    machine_started,   ///< a cloud lists a running machine for the first time; `machine`
    machine_failed,    ///< a cloud cannot make or run it; `machine`, `text`: why
    machine_joined,    ///< its node joins; `machine`, `node`
    removal_agreed,    ///< a cloud agreed to remove it; `machine`, `node`, `removal`
    machine_ended,     ///< a machine that had started is gone; `machine`, `node`

    // Faults. `fault`, `group` and `text` (the cloud or plugin) if it is about one.
    fault_began,  ///< also a fault that has no duration
    fault_ended,
};

/// Who caused it.
enum class Cause : std::uint8_t {
    autoscaler,
    cloud,       ///< the cloud by itself, or because of a fault or the scenario
    controller,  ///< of the pods: it replaces a pod
    scheduler,
    fault,
    scenario,  ///< the input, or the pod itself
};

/// Views and pointers are valid during the call that passes the fact.
struct Fact {
    FactKind kind = FactKind::pod_arrived;
    Cause cause = Cause::scenario;
    Time at{};                 ///< virtual time
    std::string_view pod{};    ///< "default/web-1"
    std::string_view batch{};  ///< "default/web"
    std::string_view node{}, group{}, machine{}, text{};
    int count = 1;
    std::optional<engine::RemovalCause> removal{};
    std::optional<FaultKind> fault{};
    const engine::snapshot::PodObject* pod_object = nullptr;
    const engine::snapshot::NodeObject* node_object = nullptr;
};

}  // namespace capstan::simulator
