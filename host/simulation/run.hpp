/// A cluster, its clouds and its clock, in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "runtime/config/configuration.hpp"
#include "runtime/pass_cycle.hpp"
#include "runtime/pass_metrics/families.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/input.hpp"
#include "simulation/report.hpp"
#include "simulation/sabotage.hpp"

namespace capstan::simulation {

/// How far a run has come.
struct Progress {
    Duration at{0};
    std::size_t step = 0, steps = 0;  ///< steps behind it
    std::optional<Duration> end{};    ///< about; nothing: not known beforehand
    std::int64_t nodes = 0, pending = 0;
};

/// Looks on. Called on the thread of `run`.
class Observer {
public:
    virtual ~Observer() = default;
    /// Each event as it happens; events of equal time in their order.
    virtual void on_event(const Event&) {}
    virtual void on_progress(const Progress&) {}
    /// After each pass that was run, what it saw and what it came to.
    virtual void on_pass(const runtime::PassInput&, const runtime::PassResult&) {}
    /// After each decision that was carried out, with the memory of what came of it; where the
    /// autoscaler ended before it could remember that, with the memory that it had saved before.
    virtual void on_results(const runtime::pass_metrics::PassObservation&) {}
    /// The autoscaler was started anew with the memory that its predecessor had saved.
    virtual void on_restart(const engine::Memory&, Time) {}
    /// Right before the end, where it is wanted: what a pass would see now, be one due or not.
    virtual bool wants_last_look() const { return false; }
    virtual void on_last_look(const runtime::PassInput&) {}
    /// Everything has happened, and the plugins can still be asked.
    virtual void on_end() {}
};

struct Setup {
    /// The configuration with its plugins; the instances run on virtual time.
    const runtime::config::Config& config;
    const runtime::PluginSet& plugins;
    std::string version{};            ///< the host's own, as plugins are told
    std::optional<Duration> until{};  ///< ends there, be the steps over or not
    /// Runs also the passes that can come to nothing new: slower, and the same but for their
    /// number.
    bool every_pass = false;
    /// A file with the memory to begin with, if it is there, and where it is saved after each pass;
    /// empty: none.
    std::filesystem::path state{};
    Sabotage sabotage = Sabotage::none;  ///< for tests of those that judge a run; no command has it
};

/// Runs the real engine and the real plugins on virtual time. Equal inputs give equal reports, byte
/// for byte. Fails when a plugin does not start, or an action is impossible ("scale of 'web', which
/// is not there"); the error says where in the input. What an input expects and does not get is in
/// the report, not a failure.
Result<Report> run(const Input& input, const Setup& setup, Observer& observer);

}  // namespace capstan::simulation
