#include "runtime/daemon/autoscaler.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "engine/health/cloud_backoff.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "engine/removal/results.hpp"
#include "runtime/actuator.hpp"
#include "runtime/engine_settings.hpp"

namespace capstan::runtime::daemon {
namespace {

/// The least time for an action, however long the refresh before it took.
constexpr Duration shortest_action_patience = std::chrono::seconds(1);

/// How long after the start of its refresh a pass still waits for actions: until the next pass is
/// due, for five seconds at least, and for no longer than for a refresh.
Duration action_patience_of(Duration scan_interval, const RefreshPatience& patience) {
    return std::clamp<Duration>(scan_interval, std::chrono::seconds(5),
                                patience.unresponsive_after);
}

}  // namespace

Result<std::unique_ptr<Autoscaler>> Autoscaler::make(const config::Config& config, Parts parts) {
    std::unique_ptr<Autoscaler> out(new Autoscaler(std::move(parts)));
    CAPSTAN_CHECK(out->apply_config(config));
    return out;
}

Result<void> Autoscaler::apply_config(const config::Config& config) {
    CAPSTAN_TRY(Wiring wiring, wire(config.pipeline, parts_.host, Missing::has_not_started));
    if (clouds_) {
        CAPSTAN_CHECK(
            clouds_->set_pipeline(config.pipeline, parts_.host, Missing::has_not_started));
    } else {
        CAPSTAN_TRY(clouds_, Clouds::make(config.pipeline, parts_.host, parts_.gate,
                                          Missing::has_not_started));
        clouds_->set_on_late(parts_.on_late_answer);
    }
    const RefreshPatience patience = patience_of(config.cluster.scan_interval);
    if (!parts_.waits_for_clouds) clouds_->set_patience(patience);
    action_patience_ = action_patience_of(config.cluster.scan_interval, patience);
    if (!under_way_) begin_under_way();
    wiring_ = std::move(wiring);
    pipeline_ = config.pipeline;
    settings_ = make_settings(config.scale_up, config.scale_down, config.limits);
    return {};
}

void Autoscaler::begin(engine::Memory memory) {
    memory_ = std::move(memory);
    memory_.cloud_backoffs.clear();
    memory_.request_backoffs.clear();
    // Actions under way of an earlier term do not belong to this memory.
    begin_under_way();
}

void Autoscaler::begin_under_way() {
    under_way_ = std::make_shared<ActionsUnderWay>();
    under_way_->set_on_end(parts_.on_late_answer);
}

/// Remembers the results of actions that earlier passes did not wait for.
std::vector<ActionsUnderWay::Ended> Autoscaler::remember_ended() {
    std::vector<ActionsUnderWay::Ended> out = under_way_->take_ended();
    for (const ActionsUnderWay::Ended& ended : out)
        memory_ = engine::pass::remember_results(std::move(memory_), ended.decision, ended.results,
                                                 settings_, clock_.read().now);
    return out;
}

Result<void> Autoscaler::join(
    const std::vector<std::shared_ptr<instances::PluginInstance>>& instances) {
    for (const auto& instance : instances) CAPSTAN_CHECK(clouds_->join(instance));
    CAPSTAN_TRY(wiring_, wire(pipeline_, parts_.host, Missing::has_not_started));
    return {};
}

/// Refreshes the clouds that are not backed off, and remembers the results.
CloudsView Autoscaler::look_at_clouds() {
    CloudsView out = clouds_->refresh_now(
        parts_.host, {.backed_off = engine::health::find_backed_off_clouds(memory_, clock_.read()),
                      .probed = engine::health::find_probed_clouds(memory_)});
    memory_ =
        engine::health::remember_refreshes(std::move(memory_), out.results(), clock_.read().now);
    return out;
}

Result<std::shared_ptr<PassReport>> Autoscaler::look() {
    const Duration began = now();
    CAPSTAN_TRY(const engine::snapshot::Cluster cluster, parts_.look());
    std::string blind = unobserved_because();
    const Duration looked = now();
    const auto untouched = under_way_->groups();
    auto backoffs_before = memory_.backoffs;
    std::vector<ActionsUnderWay::Ended> ended = remember_ended();
    const CloudsView view = look_at_clouds();
    // During the refresh the connection to the API server may have been lost.
    if (blind.empty()) blind = unobserved_because();
    const engine::PassTime time = clock_.read();
    auto out = std::make_shared<PassReport>(PassInput{
        .snapshot = {cluster,
                     with_unreadable_groups(
                         engine::health::with_unread_groups(view.groups, view.unread, memory_),
                         untouched),
                     view.machines, view.unread, view.cloud_views},
        .memory = memory_,
        .settings = settings_,
        .wiring = wiring_,
        .clouds = clouds_->instances(),
        .call_context = {.seed = parts_.seed,
                         .now = time.now,
                         .wall = time.wall,
                         .dry_run = parts_.dry_run,
                         .unobserved_because = std::move(blind)},
        .skipped_hooks = skipped_of(wiring_),
        .host = &parts_.host,
        .earlier = groups_});
    out->problems = view.problems;
    out->clouds = view.states;
    out->ended = std::move(ended);
    out->backoffs_before = std::move(backoffs_before);
    out->times.look = looked - began;
    out->times.refresh = now() - looked;
    return out;
}

/// Looks, and decides on the result.
Result<std::shared_ptr<PassReport>> Autoscaler::plan() {
    CAPSTAN_TRY(std::shared_ptr<PassReport> out, look());
    const Duration looked = now();
    CAPSTAN_TRY(out->result, decide(out->input, thread_));
    out->times.decide = now() - looked;
    return out;
}

Result<std::shared_ptr<const PassReport>> Autoscaler::run() {
    const Duration began = now();
    // A pass that fails must not repeat the request of the pass before.
    wake_at_.reset();
    Result<std::shared_ptr<PassReport>> planned = plan();
    if (!planned) {
        // Until a pass succeeds nothing shows whether nodes are needed.
        if (!memory_.unobserved_since) memory_.unobserved_since = clock_.read().now;
        return fail(std::move(planned).error());
    }
    std::shared_ptr<PassReport> report = *std::move(planned);
    // A question about the pass is answered with the same inputs.
    report->input.skipped_hooks = report->result.skipped_hooks;
    report->input.expander_answers = report->result.expander_answers;
    groups_ = {report->input.snapshot.groups, report->result.groups};
    // The report does not need these.
    report->input.earlier = {};
    report->input.host = nullptr;
    report->input.snapshot.groups = report->result.groups;
    if (const Result<void> may = parts_.may_act(); !may) {
        report->dropped_because = may.error().message;
        report->memory = memory_;
    } else {
        act(*report);
    }
    report->under_way = under_way_->groups();
    report->at = parts_.host.loop().clock()->now();
    report->times.total = now() - began;
    return report;
}

void Autoscaler::act(PassReport& report) {
    const Duration began = now();
    const engine::Decision& decision = report.decision();
    const bool is_dry = parts_.dry_run;
    // After a crash during the actions the next start has to know what the new nodes are for, and
    // why a target was decreased.
    const bool is_plan = !decision.increases.empty() || !decision.decreases.empty();
    if (is_plan && !is_dry)
        parts_.keep(engine::pass::remember_plan(memory_, report.result.outcome, settings_,
                                                report.input.call_context.now));
    SoftTaintTimer cluster(parts_.cluster, parts_.host.loop());
    // A copy: the report keeps the context of the decision.
    engine::CallContext call_context = report.input.call_context;
    if (call_context.unobserved_because.empty())
        call_context.unobserved_because = unobserved_because();
    report.results = carry_out_now(
        decision,
        engine::removal::find_node_rechecks(decision, report.input.snapshot.cluster, settings_),
        *clouds_, cluster, call_context, parts_.host, find_atomic_groups(*report.result.groups),
        {.under_way = parts_.waits_for_clouds ? nullptr : under_way_,
         .length = std::max(action_patience_ - report.times.refresh, shortest_action_patience)});
    report.times.soft_taints = cluster.took();
    const Time end = parts_.host.loop().clock()->now();
    report.times.carry_out = now() - began;
    memory_ = engine::pass::remember_results(report.result.outcome.memory, decision, report.results,
                                             settings_, end);
    if (!is_dry) parts_.keep(memory_);
    report.memory = memory_;
    wake_at_ = report.result.outcome.wake_at;
    if (is_dry) {
        // A dry run has no effect, so there is nothing that a pass at once could see.
        if (wake_at_ && *wake_at_ <= report.input.call_context.now) wake_at_.reset();
    } else if (const auto step =
                   engine::removal::find_next_step(memory_, settings_, end, &report.input.snapshot,
                                                   call_context.unobserved_because.empty())) {
        wake_at_ = std::min(wake_at_.value_or(*step), *step);
    }
}

namespace {

bool is_about_soft_taint(const engine::NodeChange& change) {
    const auto& drops = change.drop_taints;
    return std::ranges::find(change.set_taints, engine::deletion_candidate_taint, &Taint::key) !=
               change.set_taints.end() ||
           std::ranges::find(drops, engine::deletion_candidate_taint) != drops.end();
}

}  // namespace

struct SoftTaintTimer::Times {
    std::mutex mutex{};
    std::optional<Duration> begun{};
    Duration ended{};
    int open = 0;
};

SoftTaintTimer::SoftTaintTimer(ClusterClient& cluster, io::Loop& loop)
    : cluster_(cluster), loop_(loop), times_(std::make_shared<Times>()) {}

void SoftTaintTimer::change(const engine::NodeChange& change, Done done) {
    if (!is_about_soft_taint(change)) return cluster_.change(change, std::move(done));
    {
        const std::lock_guard lock(times_->mutex);
        if (!times_->begun) times_->begun = loop_.monotonic();
        ++times_->open;
    }
    cluster_.change(change,
                    [times = times_, &loop = loop_, done = std::move(done)](Result<void> result) {
                        {
                            const std::lock_guard lock(times->mutex);
                            times->ended = loop.monotonic();
                            --times->open;
                        }
                        done(std::move(result));
                    });
}

void SoftTaintTimer::evict(const engine::Eviction& eviction, Done done) {
    cluster_.evict(eviction, std::move(done));
}

std::optional<Duration> SoftTaintTimer::took() const {
    Times& times = *times_;
    const std::lock_guard lock(times.mutex);
    if (!times.begun || times.open > 0) return std::nullopt;
    return times.ended - *times.begun;
}

}  // namespace capstan::runtime::daemon
