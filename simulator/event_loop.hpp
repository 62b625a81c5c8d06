/// The loop over virtual time: what happens next, which parts are advanced, when a pass is due.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "autoscaler/plugin_host.hpp"
#include "simulator/autoscaler_process.hpp"
#include "simulator/cloud_control.hpp"
#include "simulator/controller_plugins.hpp"
#include "simulator/fault_injector.hpp"
#include "simulator/input.hpp"
#include "simulator/node_registrar.hpp"
#include "simulator/repetition.hpp"
#include "simulator/run_statistics.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// The earlier of two moments, of which either may be absent; absent: both are.
inline std::optional<Time> earliest(std::optional<Time> a, std::optional<Time> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

/// Jumps from one moment at which something is due to the next, so that time without events costs
/// nothing. Passes stay on the grid of the scan interval, counted from the start, except for those
/// that have a reason to run sooner. Moments without a reason for a pass are left out. Things that
/// are
/// due at the same moment happen in this order: what controller plugins wrote, faults, actions from
/// outside, pods that end, nodes that join or become ready, the scheduler, a pass.
class EventLoop {
public:
    struct Parts {
        autoscaler::PluginHost& host;
        SimulatedCluster& cluster;
        NodeRegistrar& node_registrar;
        AutoscalerProcess& autoscaler;
        FaultInjector& fault_injector;
        CloudControl* cloud = nullptr;  ///< NULL: no cloud is simulated
        EventLog& event_log;
        RunStatistics& statistics;
        Observer& observer;
        const std::string& source;                 ///< what messages call the input
        ControllerPlugins* controllers = nullptr;  ///< NULL: no controller plugin is called
    };
    EventLoop(const Parts& parts, Time start, Duration scan_interval)
        : parts_(parts), start_(start), scan_interval_(scan_interval), next_pass_(start) {}

    Time now() const { return parts_.host.loop().clock()->now(); }

    /// The position in the input that the observer gets with each progress from now on.
    void set_progress(const Progress& progress) { progress_ = progress; }
    /// Runs `step`. Everything that is due at its last moment has happened then, except for a pass:
    /// that pass belongs to the next step. A step until a command ends right after the pass that
    /// gave the command. Ends at `end` at the latest; absent: there is no such limit. False: `end`
    /// came before the end of the step. Fails if an action is impossible or a pass fails.
    /// `settled`: a step that lasts until nothing happens also ends once its decisions have
    /// repeated for that long, or after 30 days without progress; absent: it does not.
    Result<bool> run_step(const Step& step, std::optional<Time> end,
                          std::optional<Duration> settled = {});
    /// How the decisions of a step repeated that ended for this reason; absent: no step did.
    const std::optional<Repetition>& repetition() const noexcept { return repetition_; }
    /// Whether a step ended after 30 days without progress.
    bool has_given_up() const noexcept { return has_given_up_; }

private:
    struct Agenda;
    Result<void> act(Agenda& agenda);
    Result<void> apply(const Action& action, Time moment);
    Result<void> apply_faults();
    bool has_come(const Step& step) const;
    Result<bool> pass(Agenda& agenda);
    void watch(Agenda& agenda, std::size_t commands_before);
    std::optional<Time> pass_due() const;
    std::optional<Time> next_by_itself() const;
    bool is_busy() const;
    std::optional<Time> quiet_end(const Agenda& agenda) const;
    std::optional<Time> next_due(const Agenda& agenda) const;
    Time on_grid(Time wanted) const;
    void move_to(Time then);
    void report_progress();

    Parts parts_;
    Time start_;
    Duration scan_interval_;
    Time next_pass_;  ///< the earliest moment of the next pass on the grid
    Progress progress_{};
    std::optional<Repetition> repetition_{};
    bool has_given_up_ = false;
};

}  // namespace capstan::simulator
