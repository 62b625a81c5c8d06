#include "simulator/program/simulate_input.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include <prometheus/registry.h>

#include "autoscaler/dump/stand_ins.hpp"
#include "autoscaler/pass_metrics.hpp"
#include "commands/file_io.hpp"
#include "commands/loaded_dump.hpp"
#include "commands/options.hpp"
#include "commands/pass_recorder.hpp"
#include "config/overrides.hpp"
#include "plugin_runtime/services/metrics.hpp"
#include "simulator/dump_input.hpp"
#include "simulator/page/page.hpp"
#include "simulator/scenario.hpp"
#include "simulator/trace/trace.hpp"

namespace capstan::simulator::program {
namespace {

/// The effective configuration: that of the command line, else the file that the scenario names,
/// else the scenario's own sections.
config::Loaded config_of(const SimulateInput& from, simulator::Scenario& scenario,
                         const config::ShippedPlugins& shipped, std::ostream& err) {
    if (!from.config.empty()) {
        if (scenario.has_sections)
            err << "capstan: " << from.config << " replaces the sections of the scenario\n";
        return config::load_config(from.config, shipped, from.set);
    }
    if (!scenario.config_file.empty())
        return config::load_config(scenario.config_file, shipped, from.set);
    return {std::move(scenario.config), scenario.diagnostics};
}

/// The sections of the configuration file; empty: it has errors, which are reported elsewhere.
config::TomlValue sections_elsewhere(const SimulateInput& from,
                                     const simulator::Scenario& scenario) {
    const std::filesystem::path file =
        from.config.empty() ? scenario.config_file : std::filesystem::path(from.config);
    auto source = config::read_source(file);
    if (!source) return {};
    config::Diagnostics diagnostics(*std::move(source));
    std::optional<config::TomlValue> root = config::parse_toml(diagnostics);
    if (!root) return {};
    config::override_values(*root, from.set, diagnostics);
    return simulator::sections_of(*root);
}

/// Whether a step reloads the configuration.
bool reloads(const simulator::Input& input) {
    return std::ranges::any_of(input.steps, [](const simulator::Step& step) {
        return std::ranges::any_of(step.actions, [](const simulator::Action& action) {
            return std::holds_alternative<simulator::Reload>(action.what);
        });
    });
}

/// Whether the clouds may know machine types from which groups can be created: those of a dump or a
/// trace do not.
bool offers_machine_types(const simulator::Input& input, const SimulateInput& from) {
    return input.clouds.empty() || !from.scenario.empty();
}

/// Loads the plugins of the configuration, apart from those that a simulation does not call.
bool prepare(const SimulateInput& from, config::Loaded loaded, config::ShippedPlugins shipped,
             RunsIn where, Simulation& out, std::ostream& err) {
    const commands::CalledPlugins offline = offers_machine_types(out.input, from)
                                                ? commands::CalledPlugins::offline
                                                : commands::CalledPlugins::on_known_groups;
    out.prepared = commands::prepare_plugins(
        where == RunsIn::virtual_time ? offline : commands::CalledPlugins::all, std::move(loaded),
        out.input.clouds, std::move(shipped), err);
    return out.prepared != nullptr;
}

bool names_network_cloud(const config::Config& config) {
    return std::ranges::any_of(config.pipeline.clouds, [&](const PluginInstanceId& id) {
        const config::PluginConfig* const plugin = config.find_plugin(id.value());
        return plugin != nullptr && autoscaler::offline::needs_network(*plugin);
    });
}

/// Replaces the clouds by groups of the scenario's nodes, as for a dump.
bool replace_clouds(const config::Config& config, simulator::Input& input, std::ostream& err) {
    auto stand_ins = autoscaler::dump::make_stand_ins(input.objects.nodes, {}, config, input.source,
                                                      input.start);
    if (!stand_ins) {
        err << "capstan: " << stand_ins.error().message << '\n';
        return false;
    }
    input.clouds = std::move(stand_ins->clouds);
    input.provider_ids = std::move(stand_ins->provider_ids);
    for (const std::string& remark : stand_ins->remarks) err << "capstan: " << remark << '\n';
    return true;
}

std::optional<Simulation> from_scenario(const SimulateInput& from, RunsIn where,
                                        std::ostream& err) {
    config::ShippedPlugins shipped(config::shipped_plugins_root());
    // --set applies to the file that has the configuration: the scenario, unless --config is given.
    const bool is_own = from.config.empty();
    simulator::Scenario scenario = simulator::read_scenario(
        from.scenario, shipped, is_own ? std::span(from.set) : std::span<const std::string>());
    const bool is_elsewhere = !from.config.empty() || !scenario.config_file.empty();
    if (scenario.diagnostics.errors() > 0 || !scenario.input || is_elsewhere)
        err << scenario.diagnostics.text();
    if (scenario.diagnostics.errors() > 0 || !scenario.input) return std::nullopt;
    if (is_elsewhere && reloads(*scenario.input)) {
        err << "capstan: " << from.scenario
            << ": 'reload' needs the configuration in the scenario itself\n";
        return std::nullopt;
    }
    config::Loaded loaded = config_of(from, scenario, shipped, err);
    Simulation out{.input = *std::move(scenario.input),
                   .sections = is_elsewhere ? sections_elsewhere(from, scenario)
                                            : std::move(scenario.sections),
                   .balancers = std::move(scenario.balancers)};
    if (is_elsewhere) out.input.own_settings.reset();
    if (is_elsewhere && loaded.config && !scenario.has_scan_interval)
        out.input.scan_interval = loaded.config->cluster.scan_interval;
    if (where == RunsIn::virtual_time && loaded.config && out.input.clouds.empty() &&
        names_network_cloud(*loaded.config)) {
        if (!replace_clouds(*loaded.config, out.input, err)) return std::nullopt;
    }
    if (where == RunsIn::virtual_time && !out.balancers.empty() && loaded.config &&
        loaded.config->pipeline.controllers.empty()) {
        err << "capstan: " << from.scenario
            << ": [[balancer]] needs [pipeline] controllers = [\"replicas\"], and grants in "
               "[plugin.replicas]\n";
        return std::nullopt;
    }
    const bool is_sound = prepare(from, std::move(loaded), std::move(shipped), where, out, err);
    return is_sound ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Simulation> from_dump(const SimulateInput& from, RunsIn where, std::ostream& err) {
    std::optional<commands::LoadedDump> loaded =
        commands::load_dump({from.cluster, from.config, from.set}, where == RunsIn::real_time, err);
    if (!loaded) return std::nullopt;
    Simulation out{.input = simulator::input_of(std::move(loaded->dump)),
                   .prepared = std::move(loaded->prepared)};
    out.input.scan_interval = out.prepared->sound_config().cluster.scan_interval;
    return out;
}

std::optional<Simulation> from_trace(const SimulateInput& from, RunsIn where, std::ostream& err) {
    config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = commands::config_or_default(from.config, from.set, shipped);
    if (!loaded.config) {
        err << loaded.diagnostics.text();
        return std::nullopt;
    }
    Result<simulator::Input> input = simulator::trace::read_trace(from.trace, from.threads);
    if (!input) {
        err << "capstan: " << input.error().message << '\n';
        return std::nullopt;
    }
    Simulation out{.input = *std::move(input)};
    out.input.scan_interval = loaded.config->cluster.scan_interval;
    const bool is_sound = prepare(from, std::move(loaded), std::move(shipped), where, out, err);
    return is_sound ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

void add_simulate_input(CLI::App& command, SimulateInput& input) {
    commands::add_input_options(command, input)
        .add_option("scenario,-f,--filename", input.file,
                    "Scenario or cluster dump; the file type is detected")
        ->type_name("FILE");
    commands::add_option(command, "--threads", input.threads, "N",
                         "Threads that read the files of a trace (no effect on the result)")
        ->check(commands::at_least_one());
}

std::optional<Simulation> make_simulation(const SimulateInput& from, std::ostream& err,
                                          RunsIn where) {
    if (!from.cluster.empty()) return from_dump(from, where, err);
    if (!from.trace.empty()) return from_trace(from, where, err);
    return from_scenario(from, where, err);
}

namespace {

/// Collects the metrics of passes, as a daemon would. Durations are virtual time and none is real
/// time, so equal runs give equal metrics.
class Meter final : public simulator::Observer {
public:
    void on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) override {
        if (pass->dropped_because.empty()) metrics_.observe(*pass, autoscaler::health_after(*pass));
    }
    std::string text() const { return plugin_runtime::services::exposition(registry_); }

private:
    prometheus::Registry registry_;
    autoscaler::PassMetrics metrics_{registry_};
};

}  // namespace

struct SimulateFiles::Parts {
    std::optional<simulator::page::PassHistory> history;
    std::optional<Meter> meter;
    std::optional<commands::PassRecorder> recorder;
};

SimulateFiles::SimulateFiles(Paths paths)
    : paths_(std::move(paths)), parts_(std::make_unique<Parts>()) {}
SimulateFiles::SimulateFiles(SimulateFiles&&) noexcept = default;
SimulateFiles::~SimulateFiles() = default;

Result<SimulateFiles> SimulateFiles::make(const Paths& paths, const Simulation& simulation) {
    SimulateFiles out(paths);
    if (!paths.report.empty()) {
        CAPSTAN_CHECK(commands::check_writable(paths.report));
        out.parts_->history.emplace(simulation.input.start);
    }
    if (!paths.metrics.empty()) {
        CAPSTAN_CHECK(commands::check_writable(paths.metrics));
        out.parts_->meter.emplace();
    }
    if (!paths.record.empty()) {
        const autoscaler::offline::PreparedSetup& prepared = *simulation.prepared;
        CAPSTAN_TRY(out.parts_->recorder,
                    commands::PassRecorder::make(paths.record,
                                                 autoscaler::record::make_setup_record(
                                                     prepared.sound_config(), prepared.plugins),
                                                 CAPSTAN_VERSION));
    }
    return out;
}

void SimulateFiles::add_to(simulator::Observers& observers) {
    Parts& parts = *parts_;
    if (parts.history) observers.add(*parts.history);
    if (parts.meter) observers.add(*parts.meter);
    if (parts.recorder) observers.add(*parts.recorder);
}

Result<void> SimulateFiles::write(const simulator::Report& report, const simulator::Input& input) {
    Parts& parts = *parts_;
    if (parts.history) {
        CAPSTAN_CHECK(commands::write_file(
            paths_.report, simulator::page::make_page(report, input.source,
                                                      parts.history->take(report.summary.span))));
    }
    if (parts.meter) CAPSTAN_CHECK(commands::write_file(paths_.metrics, parts.meter->text()));
    return parts.recorder ? parts.recorder->result() : Result<void>();
}

}  // namespace capstan::simulator::program
