#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "commands/crd.hpp"
#include "commands/external_command.hpp"
#include "commands/file_io.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/value_text.hpp"
#include "kubernetes/base/json_path.hpp"
#include "simulator/api_server/api_server.hpp"
#include "simulator/control_plane/control_plane.hpp"
#include "simulator/live/live_cloud.hpp"
#include "simulator/live/live_events.hpp"
#include "simulator/live/live_warnings.hpp"
#include "simulator/live/scenario_player.hpp"
#include "simulator/program/cluster_daemon.hpp"
#include "simulator/program/simulate_input.hpp"
#include "simulator/program/simulator_program.hpp"
#include "simulator/scheduler_spread.hpp"

namespace capstan::simulator::program {
namespace {

// The output: addresses and files, commands to type, then events.

struct ClusterPlaces {
    std::string title{};
    std::string url{};
    std::string admin{};  ///< URL of the daemon's admin port: "http://127.0.0.1:8085"
    std::filesystem::path kubeconfig{}, config{}, state{}, log{};
    bool runs_daemon = false;
    double speed = 1;
    std::vector<std::string> warnings{};
};

/// Prints text, one JSON object per line, or YAML documents. Each line is flushed at once.
class ClusterReport {
public:
    ClusterReport(std::ostream& out, commands::OutputFormat format) : out_(out), format_(format) {}

    void open(const ClusterPlaces& places);
    /// `at`: real time from the start.
    void print(Duration at, const simulator::live::LiveLine& line);

private:
    void print(const ClusterPlaces& places);
    void print(const boost::json::object& object);

    std::ostream& out_;
    const commands::OutputFormat format_;
};

std::int64_t milliseconds(Duration time) {
    return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

json::object json_of(const ClusterPlaces& places) {
    return {{"kind", "open"},
            {"title", places.title},
            {"url", places.url},
            {"admin", places.admin},
            {"kubeconfig", places.kubeconfig.string()},
            {"config", places.config.string()},
            {"state", places.state.string()},
            {"log", places.runs_daemon ? json::value(places.log.string()) : json::value()},
            {"speed", places.speed},
            {"warnings", json::array(places.warnings.begin(), places.warnings.end())}};
}

void ClusterReport::print(const ClusterPlaces& places) {
    const std::string kubeconfig = places.kubeconfig.string();
    if (!places.title.empty()) out_ << places.title << "\n\n";
    out_ << "The API server listens at " << places.url << ". In another terminal:\n\n"
         << "  export KUBECONFIG=" << kubeconfig << '\n';
    if (!places.runs_daemon) {
        out_ << "  capstan run --config " << places.config.string() << " --state "
             << places.state.string() << '\n';
    }
    out_ << "  kubectl get nodes -w\n"
            "  kubectl get pods -A -o wide\n"
            "  kubectl scale deployment NAME --replicas=20\n"
            "  kubectl get events -n kube-system\n"
            "  kubectl describe configmap cluster-autoscaler-status -n kube-system\n"
         << "  capstan explain matrix --server " << places.admin << '\n';
    if (places.runs_daemon)
        out_ << "\n`capstan run` scales this cluster; its log is " << places.log.string() << ".\n";
    if (places.speed != 1)
        out_ << "\nTimes of the scenario are divided by " << places.speed << ".\n";
    out_ << "Press Ctrl-C to stop.\n\n";
    for (const std::string& remark : places.warnings) out_ << "warning: " << remark << '\n';
    if (!places.warnings.empty()) out_ << '\n';
    out_.flush();
}

/// Prints one line of JSON, or one YAML document.
void ClusterReport::print(const json::object& object) {
    if (format_ == commands::OutputFormat::json) {
        out_ << commands::json_line(object) << std::endl;
    } else {
        out_ << "---\n" << commands::yaml_text(object) << std::flush;
    }
}

void ClusterReport::open(const ClusterPlaces& places) {
    if (format_ == commands::OutputFormat::text) return print(places);
    print(json_of(places));
}

void ClusterReport::print(Duration at, const simulator::live::LiveLine& line) {
    if (format_ != commands::OutputFormat::text) {
        return print(json::object{{"kind", line.kind},
                                  {"at_ms", milliseconds(at)},
                                  {"subject", line.subject},
                                  {"text", line.text}});
    }
    char clock[32];
    std::snprintf(clock, sizeof clock, "%7.1fs  ", std::chrono::duration<double>(at).count());
    // An asterisk marks actions of the scenario; other lines are their consequences.
    out_ << clock << (line.kind == "scenario" ? "* " : "  ") << line.text << std::endl;
}

// The cluster of a scenario, live: API server, control plane, the scenario, and a daemon if wanted.

struct ClusterOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0: any free one
    double speed = 1;
    bool runs_daemon = false;       ///< starts `capstan run` as a process
    bool waits = false;             ///< the first step waits until an autoscaler holds the Lease
    bool once = false;              ///< the run ends with the last step
    std::optional<Duration> lasts;  ///< the run ends after this much real time
};

constexpr Duration leader_poll_interval = std::chrono::milliseconds(200);
constexpr Duration daemon_stop_patience = std::chrono::seconds(30);

/// The end of the daemon's log, for an error message: a temporary folder is removed with its log.
std::string end_of(const std::filesystem::path& log) {
    constexpr std::size_t most = 2000;
    std::ifstream in(log);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.size() > most) text.erase(0, text.find('\n', text.size() - most) + 1);
    return text;
}

/// The live cluster: all its parts are on one loop, run by one thread.
class LiveCluster {
public:
    LiveCluster(const Simulation& simulation, const ClusterOptions& options,
                const ClusterFolder& folder, ClusterReport& report)
        : simulation_(simulation),
          config_(simulation.prepared->sound_config()),
          options_(options),
          folder_(folder),
          report_(report),
          store_(loop_, {.seed = simulation.input.seed + 1}),
          server_(store_, {.address = options.address, .port = options.port}),
          control_plane_(
              store_, {.speed = options.speed,
                       .node_start_up = simulation.input.ready_delay,
                       .seed = simulation.input.seed + 1,
                       .default_spread = simulator::scheduler_spread(simulation.input, config_)}),
          cloud_(simulation.input, options.speed) {}

    Result<void> run() {
        CAPSTAN_CHECK(open());
        CAPSTAN_CHECK(begin());
        io_.run();
        return std::move(result_);
    }

private:
    Result<void> open();
    Result<void> begin();
    Result<void> define_balancers();
    Result<void> start_daemon();
    Result<void> write_config();
    simulator::live::ScenarioPlayer& make_player();
    void await_leader(simulator::live::ScenarioPlayer& player);
    void await_signal();
    void report(const simulator::live::LiveLine& line) {
        report_.print(loop_.monotonic() - began_, line);
    }
    void on_scenario_end(int unmet);
    void end(Result<void> result);

    const Simulation& simulation_;
    const config::Config& config_;
    const ClusterOptions& options_;
    const ClusterFolder& folder_;
    ClusterReport& report_;
    boost::asio::io_context io_{};
    io::Loop loop_{io_};
    simulator::api_server::ObjectStore store_;
    simulator::api_server::ApiServer server_;
    simulator::control_plane::ControlPlane control_plane_;
    simulator::live::LiveCloud cloud_;
    boost::asio::signal_set signals_{io_, SIGINT, SIGTERM};
    std::optional<ReservedPort>
        admin_port_{};  ///< the daemon's, started by this command or by hand
    std::string admin_{};
    Duration began_{0};
    bool is_ending_ = false;
    Result<void> result_{};
    std::optional<simulator::live::LiveEvents> live_events_{};
    std::optional<simulator::live::ScenarioPlayer> player_{};
    std::unique_ptr<io::ProgramProcess> daemon_{};
};

Result<void> LiveCluster::open() {
    CAPSTAN_CHECK(server_.listen().map_error([](Error error) {
        error.message += "; choose others with --address and --port";
        return error;
    }));
    CAPSTAN_TRY(ReservedPort port, ReservedPort::take(io_, "127.0.0.1", 8085));
    admin_ = "127.0.0.1:" + std::to_string(port.port());
    admin_port_.emplace(std::move(port));
    // Removes the state of an earlier run, whose machines do not exist in this cluster.
    std::error_code ignored;
    std::filesystem::remove_all(folder_.state(), ignored);
    CAPSTAN_CHECK(commands::write_private_file(folder_.kubeconfig(), server_.kubeconfig()));
    CAPSTAN_CHECK(write_config());
    report_.open({.title = simulation_.input.title,
                  .url = server_.url(),
                  .admin = "http://" + admin_,
                  .kubeconfig = folder_.kubeconfig(),
                  .config = folder_.config(),
                  .state = folder_.state(),
                  .log = folder_.log(),
                  .runs_daemon = options_.runs_daemon,
                  .speed = options_.speed,
                  .warnings = simulator::live::find_live_warnings(
                      simulation_.input, !config_.pipeline.clouds.empty())});
    return {};
}

Result<void> LiveCluster::begin() {
    began_ = loop_.monotonic();
    await_signal();
    if (options_.lasts)
        loop_.after(*options_.lasts, [this] {
            if (!options_.once) return end({});
            end(fail(ErrorCode::deadline,
                     "the scenario did not end within the time given by --for"));
        });
    CAPSTAN_CHECK(define_balancers());
    control_plane_.start();
    live_events_.emplace(store_, [this](const simulator::live::LiveLine& line) { report(line); });
    simulator::live::ScenarioPlayer& player = make_player();
    player.fill();
    if (options_.runs_daemon) CAPSTAN_CHECK(start_daemon());
    // Without leader election there is no Lease to wait for.
    const bool has_lease = config_.cluster.leader_election.enabled;
    if (!has_lease || (!options_.waits && !options_.runs_daemon)) {
        player.start();
    } else {
        await_leader(player);
    }
    return {};
}

/// Creates the definition that `capstan crd install` would install.
Result<void> LiveCluster::define_balancers() {
    const bool is_wanted = !simulation_.balancers.empty() || !config_.pipeline.controllers.empty();
    if (!is_wanted) return {};
    CAPSTAN_TRY(const boost::json::object definition,
                commands::parse_definition(commands::balancer_definition));
    const auto made =
        store_.create(store_.kind("customresourcedefinitions.apiextensions.k8s.io"), "", definition,
                      {.part = simulator::api_server::ObjectPart::everything});
    if (!made) return fail(ErrorCode::internal, made.error().message);
    // The server serves the kind only after its watch has seen the definition.
    io_.poll();
    io_.restart();
    return {};
}

Result<void> LiveCluster::start_daemon() {
    CAPSTAN_TRY(daemon_, start_cluster_daemon(loop_, {.config = folder_.config(),
                                                      .state = folder_.state(),
                                                      .log = folder_.log(),
                                                      .ended = [this](const std::string& how) {
                                                          end(fail(ErrorCode::unavailable,
                                                                   "capstan run " + how +
                                                                       "; the end of its log:\n" +
                                                                       end_of(folder_.log())));
                                                          io_.stop();
                                                      }}));
    return {};
}

Result<void> LiveCluster::write_config() {
    const config::TomlValue settings = cloud_.settings();
    CAPSTAN_TRY(const std::string text, simulator::live::make_live_config(
                                            config_, simulation_.input,
                                            simulation_.input.clouds.empty() ? nullptr : &settings,
                                            simulation_.prepared->shipped,
                                            {.kubeconfig = folder_.kubeconfig().string(),
                                             .admin = admin_,
                                             .speed = options_.speed}));
    return commands::write_file(folder_.config(), text);
}

simulator::live::ScenarioPlayer& LiveCluster::make_player() {
    const Duration quiet_period =
        simulator::live::quiet_period_of(config_, simulation_.input, options_.speed) +
        cloud_.slowest_boot();
    return player_.emplace(
        store_, simulation_.input,
        simulator::live::ScenarioPlayer::Options{
            .speed = options_.speed,
            .quiet_period = quiet_period,
            .report = [this](const simulator::live::LiveLine& line) { report(line); },
            .balancers = simulation_.balancers,
            // The daemon reloads its configuration file when the file changes.
            .change_cloud = [this](const simulator::ExternalEvent& what,
                                   Duration since) -> Result<void> {
                CAPSTAN_CHECK(cloud_.apply(what, since));
                return write_config();
            },
            .over = [this](int unmet) { on_scenario_end(unmet); }});
}

/// A second signal ends the run without waiting for the daemon.
void LiveCluster::await_signal() {
    signals_.async_wait([this](const auto& error, int) {
        if (error) return;
        if (is_ending_) return io_.stop();
        await_signal();
        end({});
    });
}

/// Starts the scenario once an autoscaler holds the Lease.
void LiveCluster::await_leader(simulator::live::ScenarioPlayer& player) {
    const std::string& ns = config_.cluster.kube_namespace;
    const std::string& lease = config_.cluster.leader_election.lease;
    const auto found = store_.find(store_.kind("leases.coordination.k8s.io"), ns, lease);
    const bool is_led =
        found != nullptr && !kubernetes::base::text_at(*found, "spec.holderIdentity").empty();
    if (!is_led) {
        loop_.after(leader_poll_interval, [this, &player] { await_leader(player); });
        return;
    }
    report({"note", "", "an autoscaler became leader; starting the scenario"});
    player.start();
}

void LiveCluster::on_scenario_end(int unmet) {
    if (!options_.once) return;
    if (unmet == 0) return end({});
    end(fail(ErrorCode::invalid_argument, counted(unmet, "expectation") + " not met"));
}

/// Stops the daemon first, so that it can still release its Lease at the server.
void LiveCluster::end(Result<void> result) {
    if (std::exchange(is_ending_, true)) return;
    result_ = std::move(result);
    if (!daemon_) return io_.stop();
    daemon_->stop(daemon_stop_patience);
}

/// Runs until a signal comes, or as long as the options say. The error: the cluster could not
/// start, its daemon ended by itself, or, with `once`, an expectation of the scenario was not met
/// or `lasts` ran out first.
Result<void> run_cluster(const Simulation& simulation, const ClusterOptions& options,
                         const ClusterFolder& folder, ClusterReport& report) {
    LiveCluster cluster(simulation, options, folder, report);
    return cluster.run();
}

// The command line.

struct ClusterArguments {
    SimulateInput input;
    ClusterOptions options;
    std::string folder;
    std::string lasts;
    commands::OutputFormat format{};
};

int run_cluster_command(ClusterArguments& arguments, commands::Streams streams) {
    // A closed connection is then an error of one request instead of the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    if (!arguments.lasts.empty()) {
        const Result<Duration> lasts = parse_duration(arguments.lasts);
        if (!lasts || *lasts <= Duration(0))
            return commands::refuse(streams, "--for: expected a duration such as \"60s\"",
                                    commands::exit_usage);
        arguments.options.lasts = *lasts;
    }
    const std::optional<Simulation> simulation =
        make_simulation(arguments.input, streams.err, RunsIn::real_time);
    if (!simulation) return commands::exit_usage;
    const Result<ClusterFolder> folder = ClusterFolder::make(arguments.folder);
    if (!folder) return commands::refuse(streams, folder.error().message, commands::exit_failed);
    ClusterReport report(streams.out, arguments.format);
    const Result<void> ended = run_cluster(*simulation, arguments.options, *folder, report);
    return ended ? commands::exit_ok
                 : commands::refuse(streams, ended.error().message, commands::exit_failed);
}

void add_server_options(CLI::App& command, ClusterArguments& arguments) {
    commands::add_option(command, "--address", arguments.options.address, "ADDRESS",
                         "Address of the API server; anyone who can connect is an administrator")
        ->capture_default_str();
    commands::add_option(command, "--port", arguments.options.port, "PORT",
                         "Port of the API server; 0: any free port")
        ->capture_default_str();
    commands::add_option(command, "--dir", arguments.folder, "DIR",
                         "Folder for kubeconfig and capstan.toml (default: a temporary folder)");
}

void add_story_options(CLI::App& command, ClusterArguments& arguments) {
    commands::add_option(command, "--speed", arguments.options.speed, "N",
                         "Divide the times of the scenario and of the autoscaler by this number")
        ->check(CLI::Range(0.1, 1000.0))
        ->capture_default_str();
    command.add_flag("--run", arguments.options.runs_daemon,
                     "Start `capstan run` for this cluster; implies --wait");
    command.add_flag("--wait", arguments.options.waits,
                     "Start the scenario when an autoscaler holds the Lease");
    command.add_flag("--once", arguments.options.once,
                     "Exit after the last step; exit code 1 if an expectation is not met");
    commands::add_option(command, "--for", arguments.lasts, "DURATION",
                         "Stop after this much real time");
}

}  // namespace

void add_cluster(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] =
        commands::add_command(parent, action, commands::cluster_command.name,
                              commands::cluster_command.description, run_cluster_command);
    commands::add_option(command, "scenario", arguments.input.scenario, "SCENARIO.toml",
                         "Scenario file")
        ->required();
    commands::add_option(command, "-c,--config", arguments.input.config, "FILE",
                         commands::scenario_config_help);
    commands::add_overrides(command, arguments.input.set);
    add_server_options(command, arguments);
    add_story_options(command, arguments);
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::simulator::program
