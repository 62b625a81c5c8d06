#include "simulation/run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "runtime/plugin_host.hpp"
#include "simulation/cloud_control.hpp"
#include "simulation/commands.hpp"
#include "simulation/event_log.hpp"
#include "simulation/event_loop.hpp"
#include "simulation/expect.hpp"
#include "simulation/fault_injector.hpp"
#include "simulation/node_registrar.hpp"
#include "simulation/prepare.hpp"
#include "simulation/simulated_autoscaler.hpp"
#include "simulation/simulated_clouds.hpp"
#include "simulation/simulated_cluster.hpp"
#include "simulation/tally.hpp"
#include "simulation/toml_values.hpp"

namespace capstan::simulation {
namespace {

/// A run under way.
class Run {
public:
    Run(const Input& input, const Setup& setup, Observer& observer)
        : input_(input),
          setup_(setup),
          observer_(observer),
          event_log_(input.start, observer),
          statistics_(input.start),
          world_(event_log_, statistics_,
                 {.spread_timeout_annotation = setup.config.scale_up.spread_timeout_annotation},
                 input.scheduler, scheduler_spread(input, setup.config)),
          machines_(world_, event_log_, registration(input)) {}

    ~Run() {
        if (host_) host_->pass_requests().listen({});
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    Result<Report> go() {
        CAPSTAN_CHECK(begin());
        for (std::size_t i = 0; i < input_.steps.size() && !is_over(); ++i) CAPSTAN_CHECK(step(i));
        if (setup_.until && !is_over()) {
            CAPSTAN_CHECK(live({.advance = *setup_.until - elapsed()}, input_.steps.size()));
        }
        if (observer_.wants_last_look()) observer_.on_last_look(passes_->input());
        observer_.on_end();
        Report report{.title = input_.title,
                      .seed = input_.seed,
                      .unmet = std::move(unmet_),
                      .expected = expected_,
                      .summary = summary()};
        report.events = std::move(event_log_.events());
        return report;
    }

private:
    static Registration registration(const Input& input) {
        return {.joins = true,
                .register_delay = input.register_delay,
                .ready_delay = input.ready_delay,
                .taints = std::vector<Taint>{},
                .nodes_stay = false};
    }
    Duration elapsed() const { return life_->now() - input_.start; }
    bool is_over() const { return setup_.until && elapsed() >= *setup_.until; }

    Result<void> begin() {
        CAPSTAN_TRY(host_, runtime::PluginHost::start(
                               setup_.config, setup_.plugins,
                               {.seed = input_.seed,
                                .version = setup_.version,
                                .breadcrumbs = {},
                                .state = {},
                                .clock = std::make_shared<io::ManualClock>(input_.start)}));
        CAPSTAN_TRY(
            SimulatedAutoscaler passes,
            SimulatedAutoscaler::make(
                setup_.config, *host_, input_.seed, looks(),
                {world_, machines_, event_log_, statistics_, observer_, setup_.every_pass,
                 setup_.version, setup_.state, lag(), setup_.sabotage, input_.scan_interval}));
        passes_ = std::make_unique<SimulatedAutoscaler>(std::move(passes));
        host_->pass_requests().listen(
            [this](const runtime::services::PassRequest&) { passes_->want_pass(); });
        if (auto clouds = simulated_clouds(input_, setup_.plugins); !clouds.empty()) {
            cloud_ = std::make_unique<CloudControl>(std::move(clouds), setup_.config,
                                                    setup_.plugins, *host_, input_.start);
        }
        mishaps_ = std::make_unique<FaultInjector>(
            FaultInjector::Parts{world_, machines_, *passes_, event_log_, cloud_.get()},
            Faults(input_.faults, input_.start, input_.seed));
        life_ = std::make_unique<EventLoop>(
            EventLoop::Parts{*host_, world_, machines_, *passes_, *mishaps_, cloud_.get(),
                             statistics_, observer_, input_.source},
            input_.start, input_.scan_interval);
        return fill();
    }

    Result<void> fill() {
        for (const Registration& said : input_.registrations) machines_.set(said);
        world_.fill(input_.objects, input_.start);
        world_.fill(input_.budgets);
        passes_->adopt();
        return {};
    }

    /// How old what the cloud lists gets.
    Duration lag() const { return cloud_time("refresh_every") + cloud_time("list_lag"); }
    Duration cloud_time(std::string_view key) const {
        if (!input_.cloud) return Duration(0);
        return parse_duration(text_of(input_.cloud->settings, key)).value_or(Duration(0));
    }

    /// What --until cuts short is not held to what it expects.
    Result<void> step(std::size_t index) {
        const Step& step = input_.steps[index];
        const Time begin = life_->now();
        CAPSTAN_TRY(const bool is_complete, live(step, index));
        const Seen seen = look_at(step.expect, begin);
        if (is_complete) expect(step, seen);
        return {};
    }

    Result<bool> live(const Step& step, std::size_t index) {
        life_->set_progress({.step = index, .steps = input_.steps.size(), .end = end()});
        const std::optional<Time> last =
            setup_.until ? std::optional(input_.start + *setup_.until) : std::nullopt;
        return life_->live(step, last);
    }

    std::optional<std::vector<Time>> looks() const {
        if (!input_.cloud) return std::nullopt;
        std::vector<Time> out;
        for (const Duration at : input_.cloud->changes) {
            out.push_back(input_.start + at);
            out.push_back(input_.start + at + cloud_time("list_lag"));
        }
        std::ranges::sort(out);
        return out;
    }

    /// Where it will end, as far as that is known beforehand: of a step until idle, where its last
    /// action is.
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
            event_log_.tell(life_->now(), EventKind::unmet, "", place + ": " + text);
            unmet_.push_back({place, text});
        }
    }

    static bool has(const std::vector<SeenCommand>& commands, const UntilCommand& wanted) {
        return std::ranges::any_of(commands, [&](const SeenCommand& seen) {
            return wanted.command.empty() || begins_with_words(seen.text, wanted.command);
        });
    }
    static std::string missing(const UntilCommand& wanted) {
        return "no " + (wanted.command.empty() ? "command" : in_quotes(wanted.command)) +
               " within " + format_duration(wanted.within);
    }

    /// What is there at the end of a step, and what was asked for since its beginning.
    Seen look_at(const Expectations& expected, Time begin) {
        Seen out{.pending = static_cast<int>(world_.pending()),
                 .longest_pending = world_.take_longest_wait(life_->now()),
                 .unschedulable = passes_->unschedulable()};
        for (const GivenCommand& given : passes_->take_commands())
            out.commands.push_back({given.text, given.at - begin});
        for (const auto& [group, count] : expected.nodes)
            out.nodes[group] = static_cast<int>(world_.nodes_in(group));
        out.targets = passes_->targets();
        for (const auto& [group, backoff] : passes_->memory().backoffs) {
            if (!backoff.until || *backoff.until > life_->now())
                out.backed_off.push_back(group.value());
        }
        out.taints = world_.taints();
        return out;
    }

    Summary summary() const {
        Summary out = statistics_.summary();
        out.still_pending = world_.still_pending(life_->now());
        for (StillPending& line : out.still_pending) {
            const auto known =
                std::ranges::find(passes_->unschedulable(), line.pods, &UnschedulablePods::batch);
            line.because = known != passes_->unschedulable().end() ? known->reason.sentence
                                                                   : passes_->skipped();
        }
        return out;
    }

    const Input& input_;
    const Setup& setup_;
    Observer& observer_;
    EventLog event_log_;
    RunStatistics statistics_;
    SimulatedCluster world_;
    NodeRegistrar machines_;
    std::unique_ptr<runtime::PluginHost> host_;
    std::unique_ptr<SimulatedAutoscaler> passes_;
    std::unique_ptr<CloudControl> cloud_;  ///< NULL: none is simulated
    std::unique_ptr<FaultInjector> mishaps_;
    std::unique_ptr<EventLoop> life_;
    std::vector<Unmet> unmet_;
    std::int64_t expected_ = 0;
};

}  // namespace

Result<Report> run(const Input& input, const Setup& setup, Observer& observer) {
    return Run(input, setup, observer).go();
}

}  // namespace capstan::simulation
