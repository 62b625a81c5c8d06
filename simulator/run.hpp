/// Runs a simulation: a cluster, its clouds and its clock in memory, the real engine and the real
/// plugins on top.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "autoscaler/pass_visitor.hpp"
#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"
#include "simulator/facts.hpp"
#include "simulator/input.hpp"
#include "simulator/report.hpp"
#include "simulator/sabotage.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator {

/// How far a run has come.
struct Progress {
    Duration at{0};                   ///< virtual time since the start
    std::size_t step = 0, steps = 0;  ///< the current step, from 0, and the number of steps
    std::optional<Duration> end{};    ///< when the run is expected to end; absent: not known
    std::int64_t nodes = 0, pending = 0;
};

/// Observes a run and changes nothing. Of the functions of PassVisitor on_decision and on_pass are
/// called. Called on the thread of `run`.
class Observer : public autoscaler::PassVisitor {
public:
    /// Called for each event as it happens; events of the same time come in their order.
    virtual void on_event(const Event&) {}
    /// Whether `on_fact` is to be called. Asked once, before the run begins.
    virtual bool wants_facts() const { return false; }
    /// Called for each fact as it happens, also while a decision is carried out.
    virtual void on_fact(const Fact&) {}
    /// A fault begins. An input with this fault in place of the one that it was drawn for has the
    /// same fault at the same time.
    virtual void on_drawn(const Fault&) {}
    /// An action of the input was impossible and is left out; see IfImpossible.
    virtual void on_left_out(const Action&) {}
    virtual void on_progress(const Progress&) {}
    /// The autoscaler was restarted, or leads again, with the memory that it had saved.
    virtual void on_restart(const engine::Memory&, Time) {}
    /// In a run with controller plugins: called at each moment at which something happens, after it
    /// has happened, and at the end.
    virtual void on_balancers(const std::vector<BalancerState>&, Time) {}
    /// Whether `on_last_look` is to be called right before the end. It gets the input that a pass
    /// would get then, whether or not a pass is due.
    virtual bool wants_last_look() const { return false; }
    virtual void on_last_look(const autoscaler::PassInput&) {}
    /// Called when all steps are over, while the plugins can still be called.
    virtual void on_end() {}
};

struct Setup {
    /// The configuration with its plugins; the instances run on virtual time.
    const config::Config& config;
    const autoscaler::PluginSet& plugins;
    std::string version{};  ///< of the host; passed to plugins
    /// The run ends then, whether or not the steps are over. Absent: it ends when they are, after
    /// the input's time limit, or when decisions repeat without progress.
    std::optional<Duration> until{};
    /// Also runs the passes that cannot decide anything new. That is slower; only the number of
    /// passes differs.
    bool every_pass = false;
    /// Whether controller plugins are called; they see pods and workloads of the cluster.
    bool calls_controllers = true;
    /// The file that the memory is read from at the start, if it exists, and saved to after each
    /// pass; empty: memory is not saved.
    std::filesystem::path state{};
    Sabotage sabotage = Sabotage::none;  ///< for tests of the invariants; no command sets it
};

/// Runs the real engine and the real plugins on virtual time. Equal inputs give equal reports, byte
/// for byte. Fails if a plugin does not start, or if an action is impossible ("scale: no batch
/// 'web' with a controller"); the error names the action's place in the input. An expectation that
/// is not met is not a failure; the report lists it.
Result<Report> run(const Input& input, const Setup& setup, Observer& observer);

}  // namespace capstan::simulator
