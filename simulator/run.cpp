#include "simulator/run.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/plugin_host.hpp"
#include "config/toml_values.hpp"
#include "engine/pods/pending.hpp"
#include "simulator/api_server/local_api.hpp"
#include "simulator/autoscaler_process.hpp"
#include "simulator/cloud_control.hpp"
#include "simulator/commands.hpp"
#include "simulator/controller_plugins.hpp"
#include "simulator/event_log.hpp"
#include "simulator/event_loop.hpp"
#include "simulator/expect.hpp"
#include "simulator/fault_injector.hpp"
#include "simulator/node_registrar.hpp"
#include "simulator/repetition.hpp"
#include "simulator/run_figures.hpp"
#include "simulator/run_statistics.hpp"
#include "simulator/scheduler_spread.hpp"
#include "simulator/simulated_clouds.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

/// The virtual time before the start of a run in which plugins start that use the API server: their
/// watches are refused, if at all, within this time.
constexpr Duration plugin_start_time = std::chrono::milliseconds(1);

/// A run under way.
class Run {
public:
    Run(const Input& input, const Setup& setup, Observer& observer)
        : input_(input),
          setup_(setup),
          observer_(observer),
          event_log_(input.start, observer),
          statistics_(input.start),
          cluster_(event_log_, statistics_,
                   {.spread_timeout_annotation = setup.config.scale_up.spread_timeout_annotation},
                   input.scheduler, scheduler_spread(input, setup.config)),
          node_registrar_(cluster_, event_log_, registration(input)) {}

    ~Run() {
        if (!host_) return;
        host_->pass_requests().listen({});
        if (!local_api_) return;
        controllers_.reset();
        host_->virtual_loop()->settle();
        host_->cluster()->disconnect();
        host_->virtual_loop()->settle();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    Result<Report> go() {
        CAPSTAN_CHECK(begin());
        for (std::size_t i = 0; i < input_.steps.size() && !is_over(); ++i)
            CAPSTAN_CHECK(run_and_check(i));
        if (setup_.until && !is_over()) {
            CAPSTAN_CHECK(run_step({.advance = *setup_.until - elapsed()}, input_.steps.size()));
        }
        if (observer_.wants_last_look()) {
            CAPSTAN_TRY(const autoscaler::PassInput input, autoscaler_->input());
            observer_.on_last_look(input);
        }
        if (controllers_) observer_.on_balancers(controllers_->balancers(), event_loop_->now());
        observer_.on_end();
        Report report{.title = input_.title,
                      .seed = input_.seed,
                      .start = input_.real_start(),
                      .unmet = std::move(unmet_),
                      .expected = expected_,
                      .summary = summary()};
        report.events = std::move(event_log_.events());
        set_end(report);
        return report;
    }

private:
    static Registration registration(const Input& input) {
        return {.joins = true,
                .register_delay = input.register_delay,
                .ready_delay = input.ready_delay,
                .taints = std::vector<Taint>{},
                .provider_ids = true,
                .nodes_stay = false};
    }
    Duration elapsed() const { return event_loop_->now() - input_.start; }
    /// When the run ends at the latest; absent: it has no limit.
    std::optional<Duration> limit() const {
        return setup_.until ? setup_.until : input_.time_limit;
    }
    bool is_over() const { return elapsed() >= limit().value_or(Duration::max()); }

    /// Whether a plugin may use the API server.
    bool wants_api() const {
        return std::ranges::any_of(setup_.plugins, [](const autoscaler::LoadedPlugin& plugin) {
            return !plugin.config.grants.kube.empty();
        });
    }

    /// Connects plugins to an API server with the input's objects for them. The watches that they
    /// opened at their start have all objects before the first pass.
    Result<void> connect_plugins() {
        local_api_ = std::make_unique<api_server::LocalApi>(*host_->virtual_loop());
        if (const auto added = local_api_->add(input_.plugin_objects); !added)
            return fail(within(input_.source, added.error()));
        host_->cluster()->connect(local_api_->api());
        host_->virtual_loop()->settle();
        const Duration early = input_.start - host_->loop().clock()->now();
        if (early > Duration(0)) host_->virtual_loop()->advance(early);
        return {};
    }

    Result<void> begin() {
        const Time start = wants_api() ? input_.start - plugin_start_time : input_.start;
        CAPSTAN_TRY(
            host_, autoscaler::PluginHost::start(setup_.config, setup_.plugins,
                                                 {.seed = input_.seed,
                                                  .version = setup_.version,
                                                  .breadcrumbs = {},
                                                  .state = {},
                                                  .clock = std::make_shared<io::ManualClock>(start),
                                                  .has_cluster = wants_api()}));
        if (host_->cluster() != nullptr) CAPSTAN_CHECK(connect_plugins());
        CAPSTAN_TRY(autoscaler_, AutoscalerProcess::make(
                                     setup_.config, *host_, input_.seed, cloud_changes(),
                                     {cluster_, node_registrar_, event_log_, statistics_, observer_,
                                      setup_.every_pass, setup_.version, setup_.state, lag(),
                                      setup_.sabotage, input_.scan_interval, input_.memory}));
        host_->pass_requests().listen(
            [this](const plugin_runtime::services::PassRequest&) { autoscaler_->request_pass(); });
        if (auto clouds = simulated_clouds(input_, setup_.plugins); !clouds.empty()) {
            cloud_ = std::make_unique<CloudControl>(std::move(clouds), setup_.config,
                                                    setup_.plugins, *host_, input_.start);
        }
        CAPSTAN_CHECK(make_controllers());
        fault_injector_ = std::make_unique<FaultInjector>(
            FaultInjector::Parts{cluster_, node_registrar_, *autoscaler_, event_log_, cloud_.get(),
                                 controllers_.get()},
            Faults(input_.faults, input_.start, input_.seed));
        event_loop_ = std::make_unique<EventLoop>(
            EventLoop::Parts{*host_, cluster_, node_registrar_, *autoscaler_, *fault_injector_,
                             cloud_.get(), event_log_, statistics_, observer_, input_.source,
                             controllers_.get()},
            input_.start, input_.scan_interval);
        return fill();
    }

    /// The controllers of the pipeline, which are called once the cluster is filled.
    Result<void> make_controllers() {
        const auto& ids = setup_.config.pipeline.controllers;
        if (!setup_.calls_controllers || ids.empty() || !local_api_) return {};
        std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients;
        for (const PluginInstanceId& id : ids) {
            auto instance = host_->find(id);
            if (!instance) continue;
            CAPSTAN_TRY(auto client,
                        plugin_runtime::instances::ControllerClient::of(std::move(instance)));
            clients.push_back(std::move(client));
        }
        controllers_ = std::make_unique<ControllerPlugins>(
            ControllerPlugins::Parts{*local_api_, cluster_, event_log_, statistics_},
            std::move(clients));
        return {};
    }

    Result<void> fill() {
        cluster_.set_scheduler_score(input_.scheduler_score);
        for (const Registration& given : input_.registrations) node_registrar_.set(given);
        cluster_.fill(input_.objects, input_.start);
        cluster_.fill(input_.budgets);
        autoscaler_->adopt();
        return {};
    }

    /// How old the machine lists of the cloud can be: its refresh interval plus its list lag.
    Duration lag() const { return cloud_time("refresh_every") + list_lag(); }
    Duration list_lag() const {
        const bool can_lag = std::ranges::any_of(
            input_.faults, [](const Fault& fault) { return fault.kind == FaultKind::stale_lists; });
        return std::max(cloud_time("list_lag"), can_lag ? stale_lists_lag : Duration(0));
    }
    /// The longest of the clouds.
    Duration cloud_time(std::string_view key) const {
        Duration out{0};
        for (const CloudSettings& cloud : input_.clouds)
            out = std::max(out, parse_duration(text_of(cloud.settings, key)).value_or(out));
        return out;
    }

    /// Runs the step and compares what happened with its expectations. The expectations of a step
    /// that --until cuts short are not checked.
    Result<void> run_and_check(std::size_t index) {
        const Step& step = input_.steps[index];
        const Time begin = event_loop_->now();
        CAPSTAN_TRY(const bool is_complete, run_step(step, index));
        const Seen seen = look_at(step.expect, begin);
        if (is_complete) expect(step, seen);
        return {};
    }

    Result<bool> run_step(const Step& step, std::size_t index) {
        event_loop_->set_progress({.step = index, .steps = input_.steps.size(), .end = end()});
        const std::optional<Duration> limited = limit();
        const std::optional<Time> last =
            limited ? std::optional(input_.start + *limited) : std::nullopt;
        return event_loop_->run_step(step, last,
                                     setup_.until ? std::nullopt : std::optional(settled()));
    }

    /// For how long decisions have to repeat before they count as repeated for ever. Records of
    /// templates end after a day, which is the limit of a dump in any case.
    Duration settled() const {
        const Duration timer = longest_timer(setup_.config, setup_.plugins, input_);
        return input_.time_limit ? timer : std::max<Duration>(timer, std::chrono::hours(24));
    }

    void set_end(Report& report) const {
        if (const auto& repetition = event_loop_->repetition()) {
            report.end = RunEnd::repetition;
            report.end_because = "decisions repeat without progress since " +
                                 clock_text(repetition->since) + ": " + commands_text(*repetition);
        } else if (event_loop_->has_given_up()) {
            report.end = RunEnd::time_limit;
            report.end_because = "no progress for 30 days; --until DURATION sets the end";
        } else if (!setup_.until && is_over()) {
            report.end = RunEnd::time_limit;
            report.end_because = "time limit of " + clock_text(limit().value_or(elapsed())) +
                                 " reached; --until DURATION sets another";
        }
    }

    /// When the clouds change by themselves, and when their lists show it; ascending. Absent: the
    /// clouds may change at any time.
    std::optional<std::vector<Time>> cloud_changes() const {
        if (input_.clouds.empty()) return std::nullopt;
        std::vector<Time> out;
        for (const CloudSettings& cloud : input_.clouds) {
            for (const Duration at : cloud.changes) {
                out.push_back(input_.start + at);
                out.push_back(input_.start + at + list_lag());
            }
        }
        std::ranges::sort(out);
        return out;
    }

    /// When the run will end, as far as that is known beforehand. A step that lasts until nothing
    /// happens any more counts up to its last action. Absent: not known.
    std::optional<Duration> end() const {
        Duration sum{0};
        for (const Step& step : input_.steps) {
            const Duration last = step.actions.empty() ? Duration(0) : step.actions.back().after;
            sum += step.until_command ? step.until_command->within : step.advance.value_or(last);
        }
        if (setup_.until) return setup_.until;
        return sum > Duration(0) ? std::optional(sum) : std::nullopt;
    }

    void expect(const Step& step, const Seen& seen) {
        expected_ += count_of(step.expect) + (step.until_command ? 1 : 0);
        std::vector<std::string> unmet = find_unmet(step.expect, seen);
        if (step.until_command && !has(seen.commands, *step.until_command))
            unmet.insert(unmet.begin(), missing(*step.until_command));
        for (const std::string& text : unmet) {
            const std::string place = input_.source + ":" + std::to_string(step.place.line);
            event_log_.add(event_loop_->now(), EventKind::unmet, "", place + ": " + text);
            unmet_.push_back({place, text});
        }
    }

    static bool has(const std::vector<SeenCommand>& commands, const UntilCommand& wanted) {
        return std::ranges::any_of(commands, [&](const SeenCommand& seen) {
            return wanted.command.empty() || begins_with_words(seen.text, wanted.command);
        });
    }
    static std::string missing(const UntilCommand& wanted) {
        return (wanted.command.empty() ? "no command was given"
                                       : in_quotes(wanted.command) + " was not given") +
               " within " + format_duration(wanted.within);
    }

    /// The state of cluster and clouds at the end of a step, and the commands since its beginning.
    Seen look_at(const Expectations& expected, Time begin) {
        Seen out{.pending = static_cast<int>(cluster_.pending()),
                 .longest_pending = cluster_.take_longest_wait(event_loop_->now()),
                 .unschedulable = autoscaler_->unschedulable()};
        for (const GivenCommand& given : autoscaler_->take_commands())
            out.commands.push_back({given.text, given.at - begin});
        for (const auto& [group, count] : expected.nodes)
            out.nodes[group] = static_cast<int>(cluster_.nodes_in(group));
        out.targets = autoscaler_->targets();
        for (const auto& [group, backoff] : autoscaler_->memory().backoffs) {
            if (!backoff.until || *backoff.until > event_loop_->now())
                out.backed_off.push_back(group.value());
        }
        out.taints = cluster_.taints();
        return out;
    }

    Summary summary() {
        Summary out = statistics_.summary();
        out.still_pending = cluster_.still_pending(event_loop_->now());
        std::vector<StillPending*> passed_over;
        for (StillPending& line : out.still_pending) {
            const std::vector<UnschedulablePods>& unschedulable = autoscaler_->unschedulable();
            const auto found =
                std::ranges::find(unschedulable, line.pods, &UnschedulablePods::batch);
            if (found != unschedulable.end()) {
                line.because = found->reason.sentence;
            } else {
                passed_over.push_back(&line);
            }
        }
        if (!passed_over.empty()) explain_passed_over(passed_over);
        return out;
    }

    /// Sets why the pods do not count as pending, or need no new node. Asks for one pod of each
    /// batch: the first by namespace and name.
    void explain_passed_over(const std::vector<StillPending*>& lines) {
        for (StillPending* const line : lines) line->because = autoscaler_->need_no_node();
        const Result<autoscaler::PassInput> input = autoscaler_->input();
        if (!input) return;
        const engine::snapshot::Cluster& cluster = input->snapshot.cluster;
        std::map<std::string, std::pair<std::string, engine::PodIndex>> first;  // by batch
        for (const engine::PodIndex index : cluster.unbound()) {
            const engine::snapshot::PodRow pod = cluster.pod(index);
            std::string name(cluster.text(cluster.equivalence_group(pod.equivalence_group).ns));
            name.append("/").append(cluster.text(pod.name));
            const std::pair candidate(std::move(name), index);
            const auto [at, is_new] =
                first.try_emplace(cluster_.batch_of(candidate.first), candidate);
            if (!is_new) at->second = std::min(at->second, candidate);
        }
        for (StillPending* const line : lines) {
            const auto pod = first.find(line->pods);
            if (pod == first.end()) continue;
            engine::Reason reason = engine::pods::why_skipped(
                cluster, input->settings, input->call_context.time(), pod->second.second);
            if (!reason.is_none()) line->because = std::move(reason.sentence);
        }
    }

    const Input& input_;
    const Setup& setup_;
    Observer& observer_;
    EventLog event_log_;
    RunStatistics statistics_;
    SimulatedCluster cluster_;
    NodeRegistrar node_registrar_;
    std::unique_ptr<autoscaler::PluginHost> host_;
    std::unique_ptr<api_server::LocalApi> local_api_;  ///< NULL: no plugin uses the API server
    std::unique_ptr<ControllerPlugins> controllers_;   ///< NULL: no controller is called
    std::unique_ptr<AutoscalerProcess> autoscaler_;
    std::unique_ptr<CloudControl> cloud_;  ///< NULL: no cloud is simulated
    std::unique_ptr<FaultInjector> fault_injector_;
    std::unique_ptr<EventLoop> event_loop_;
    std::vector<Unmet> unmet_;
    std::int64_t expected_ = 0;
};

}  // namespace

Result<Report> run(const Input& input, const Setup& setup, Observer& observer) {
    return Run(input, setup, observer).go();
}

}  // namespace capstan::simulator
