/// The next of several moments that may never come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "runtime/plugin_host.hpp"
#include "simulation/cloud_control.hpp"
#include "simulation/fault_injector.hpp"
#include "simulation/input.hpp"
#include "simulation/node_registrar.hpp"
#include "simulation/simulated_autoscaler.hpp"
#include "simulation/simulated_cluster.hpp"
#include "simulation/tally.hpp"

namespace capstan::simulation {

/// Nothing: neither comes.
inline std::optional<Time> earliest(std::optional<Time> a, std::optional<Time> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

// The loop over virtual time: what happens next, which parts are told, when a pass is due.

/// SimulatedAutoscaler stay on the grid of the scan interval, counted from the start, but for those
/// that a cloud wants to begin soon; those that could come to nothing new are left out. What
/// happens at one moment happens in this order: faults, actions from outside, pods that end, nodes
/// that join or become ready, the scheduler, a pass.
class EventLoop {
public:
    struct Parts {
        runtime::PluginHost& host;
        SimulatedCluster& world;
        NodeRegistrar& machines;
        SimulatedAutoscaler& passes;
        FaultInjector& fault_injector;
        CloudControl* cloud = nullptr;  ///< NULL: no cloud is simulated
        RunStatistics& statistics;
        Observer& observer;
        const std::string& source;  ///< what messages call the input
    };
    EventLoop(const Parts& parts, Time start, Duration scan_interval)
        : parts_(parts), start_(start), scan_interval_(scan_interval), next_pass_(start) {}

    Time now() const { return parts_.host.loop().clock()->now(); }

    /// What the observer is told from now on: where this is in the input.
    void set_progress(const Progress& progress) { progress_ = progress; }
    /// Lets `step` happen. What is due at its end has happened then, but no pass: that one belongs
    /// to what comes next; but a step until a command ends after the pass that gave it. Ends at
    /// `end` at the latest; nothing: no such moment. False: `end` came before the step's own. The
    /// error is an action that is impossible, or a pass that cannot be.
    Result<bool> live(const Step& step, std::optional<Time> end);

private:
    struct Agenda;
    Result<void> act(Agenda& agenda);
    Result<void> happen(const Action& action, Time moment);
    Result<void> strike();
    bool has_come(const Step& step) const;
    Result<bool> pass(const Agenda& agenda);
    std::optional<Time> pass_due() const;
    std::optional<Time> next_by_itself() const;
    std::optional<Time> next_due(const Agenda& agenda) const;
    Time on_grid(Time wanted) const;
    void move_to(Time then);
    void tell_progress();

    Parts parts_;
    Time start_;
    Duration scan_interval_;
    Time next_pass_;  ///< not before
    Progress progress_{};
};

}  // namespace capstan::simulation
