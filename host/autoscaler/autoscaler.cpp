#include "autoscaler/autoscaler.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include <capstan/assert.hpp>

#include "autoscaler/actuator.hpp"
#include "autoscaler/engine_settings.hpp"
#include "engine/each_action.hpp"
#include "engine/health/cloud_backoff.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "engine/removal/results.hpp"

namespace capstan::autoscaler {
namespace {

/// The least time for an action, however long the refresh before it took.
constexpr Duration shortest_action_patience = std::chrono::seconds(1);

/// How long after the start of its refresh a pass still waits for actions: until the next pass is
/// due, for five seconds at least, and for no longer than for a refresh.
Duration action_patience_of(Duration scan_interval, const RefreshPatience& patience) {
    return std::clamp<Duration>(scan_interval, std::chrono::seconds(5),
                                patience.unresponsive_after);
}

bool is_same(const engine::Group& a, const engine::Group& b) {
    return a.group == b.group && a.machines == b.machines && a.cloud == b.cloud &&
           a.undescribed_because == b.undescribed_because &&
           a.unreadable_because == b.unreadable_because &&
           (a.described == b.described ||
            (a.described && b.described && *a.described == *b.described));
}

/// Errors contain durations, which do not count as a difference.
bool is_same_problem(const Error& a, const Error& b) {
    return a.code == b.code && a.provider_code == b.provider_code && a.subject == b.subject;
}

bool is_about_soft_taint(const engine::NodeChange& change) {
    const auto& drops = change.drop_taints;
    return std::ranges::find(change.set_taints, engine::deletion_candidate_taint, &Taint::key) !=
               change.set_taints.end() ||
           std::ranges::find(drops, engine::deletion_candidate_taint) != drops.end();
}

/// Forwards every call to another client, and measures how long changes of soft taints take.
class SoftTaintTimer final : public ClusterClient {
public:
    /// Borrows `cluster` and `loop`.
    SoftTaintTimer(ClusterClient& cluster, io::Loop& loop) : cluster_(cluster), loop_(loop) {}

    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                 RecheckDone done) override {
        cluster_.recheck(nodes, std::move(done));
    }
    void change(const engine::NodeChange& change, Done done) override {
        if (!is_about_soft_taint(change)) return cluster_.change(change, std::move(done));
        {
            const std::lock_guard lock(times_->mutex);
            if (!times_->begun) times_->begun = loop_.monotonic();
            ++times_->open;
        }
        cluster_.change(
            change, [times = times_, &loop = loop_, done = std::move(done)](Result<void> result) {
                {
                    const std::lock_guard lock(times->mutex);
                    times->ended = loop.monotonic();
                    --times->open;
                }
                done(std::move(result));
            });
    }
    void evict(const engine::Eviction& eviction, Done done) override {
        cluster_.evict(eviction, std::move(done));
    }

    /// From the start of the first change of a soft taint to the end of the last one. Absent:
    /// there was no such change, or one has not ended. [any thread]
    std::optional<Duration> took() const {
        Times& times = *times_;
        const std::lock_guard lock(times.mutex);
        if (!times.begun || times.open > 0) return std::nullopt;
        return times.ended - *times.begun;
    }

private:
    struct Times {
        std::mutex mutex{};
        std::optional<Duration> begun{};
        Duration ended{};
        int open = 0;
    };
    ClusterClient& cluster_;
    io::Loop& loop_;
    const std::shared_ptr<Times> times_ = std::make_shared<Times>();
};

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
    seen_.reset();
    return {};
}

void Autoscaler::begin(engine::Memory memory) {
    memory_ = std::move(memory);
    memory_.cloud_backoffs.clear();
    memory_.request_backoffs.clear();
    unwritten_because_.clear();
    wake_at_.reset();
    seen_.reset();
    // Actions under way of an earlier term do not belong to this memory.
    begin_under_way();
}

void Autoscaler::begin_under_way() {
    under_way_ = std::make_shared<ActionsUnderWay>();
    under_way_->set_on_end(parts_.on_late_answer);
}

/// Remembers the results of actions that earlier passes did not wait for.
void Autoscaler::remember_ended() {
    std::vector<ActionsUnderWay::Ended> all = under_way_->take_ended();
    if (!backoffs_before_) backoffs_before_ = memory_.backoffs;
    for (ActionsUnderWay::Ended& ended : all) {
        memory_ = engine::pass::remember_results(std::move(memory_), ended.decision, ended.results,
                                                 settings_, clock_.read().now);
        ended_.push_back(std::move(ended));
    }
}

Result<void> Autoscaler::join(
    const std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>& instances) {
    for (const auto& instance : instances) CAPSTAN_CHECK(clouds_->join(instance));
    CAPSTAN_TRY(wiring_, wire(pipeline_, parts_.host, Missing::has_not_started));
    seen_.reset();
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

/// The groups for a pass. Those with an action in `untouched` must not be changed.
std::shared_ptr<const std::vector<engine::Group>> Autoscaler::groups_of(
    const CloudsView& view, const std::map<NodeGroupId, std::string>& untouched) const {
    return with_unreadable_groups(
        engine::health::with_unread_groups(view.groups, view.unread, memory_), untouched);
}

PassInput Autoscaler::make_input(const engine::snapshot::Cluster& cluster, const CloudsView& view,
                                 std::shared_ptr<const std::vector<engine::Group>> groups,
                                 std::string unobserved_because) {
    const engine::PassTime time = clock_.read();
    return {.snapshot = {cluster, std::move(groups), view.machines, view.unread, view.cloud_views},
            .memory = memory_,
            .settings = settings_,
            .wiring = wiring_,
            .clouds = clouds_->instances(),
            .call_context = {.seed = parts_.seed,
                             .now = time.now,
                             .wall = time.wall,
                             .dry_run = parts_.dry_run,
                             .simulation = parts_.simulation,
                             .unobserved_because = std::move(unobserved_because),
                             .unwritten_because = unwritten_because_},
            .skipped_hooks = skipped_of(wiring_),
            .host = &parts_.host,
            .earlier = groups_};
}

Result<PassInput> Autoscaler::input() {
    CAPSTAN_TRY(const engine::snapshot::Cluster cluster, parts_.look());
    const CloudsView view = clouds_->view();
    return make_input(cluster, view, groups_of(view, under_way_->groups()), unobserved_because());
}

bool Autoscaler::is_same(const Sight& before, const Sight& now) {
    const bool has_same_groups =
        before.groups == now.groups ||
        std::ranges::equal(*before.groups, *now.groups,
                           [](const engine::Group& a, const engine::Group& b) {
                               return autoscaler::is_same(a, b);
                           });
    return has_same_groups && before.cluster.is_same(now.cluster) &&
           before.machines == now.machines && before.is_unobserved == now.is_unobserved &&
           before.at.wall - before.at.now == now.at.wall - now.at.now &&
           std::ranges::equal(before.problems, now.problems, is_same_problem);
}

/// `wanted`: when the last pass asked for this one.
bool Autoscaler::may_skip(const Sight& sight, std::optional<Time> wanted) const {
    const Time now = sight.at.now;
    if (!seen_ || !ended_.empty() || now - seen_->at.now >= parts_.skips_for) return false;
    // The end of each pass tries to write the memory.
    if (!unwritten_because_.empty()) return false;
    if (wanted && *wanted <= now) return false;
    return is_same(*seen_, sight) && !(parts_.wants_pass && parts_.wants_pass());
}

/// NULL: the pass is skipped.
Result<std::shared_ptr<PassReport>> Autoscaler::look(std::optional<Time> wanted) {
    const Duration began = now();
    const auto untouched = under_way_->groups();
    remember_ended();
    const CloudsView view = look_at_clouds();
    auto groups = groups_of(view, untouched);
    if (parts_.visitor != nullptr) parts_.visitor->on_refresh(view, groups);
    const Duration refreshed = now();
    // Read last: what it shows is no older than the answers of the clouds.
    CAPSTAN_TRY(const engine::snapshot::Cluster cluster, parts_.look());
    std::string unobserved = unobserved_because();
    Sight sight{.cluster = cluster,
                .groups = groups,
                .machines = view.machines,
                .problems = view.problems,
                .is_unobserved = !unobserved.empty(),
                .at = clock_.read()};
    if (may_skip(sight, wanted)) return nullptr;
    seen_ = std::move(sight);
    auto out = std::make_shared<PassReport>(
        make_input(cluster, view, std::move(groups), std::move(unobserved)));
    out->problems = view.problems;
    out->clouds = view.states;
    out->ended = std::exchange(ended_, {});
    out->backoffs_before = std::exchange(backoffs_before_, std::nullopt);
    out->times.refresh = refreshed - began;
    out->times.look = now() - refreshed;
    return out;
}

/// Looks, and decides on the result. NULL: the pass is skipped.
Result<std::shared_ptr<PassReport>> Autoscaler::plan(std::optional<Time> wanted) {
    CAPSTAN_TRY(std::shared_ptr<PassReport> out, look(wanted));
    if (!out) return out;
    const Duration looked = now();
    CAPSTAN_TRY(out->result,
                parts_.decide ? parts_.decide(out->input, thread_) : decide(out->input, thread_));
    out->times.decide = now() - looked;
    return out;
}

Result<std::shared_ptr<const PassReport>> Autoscaler::run() {
    if (parts_.visitor == nullptr) return run_pass();
    const Duration began = now();
    parts_.visitor->on_begin();
    const auto report = run_pass();
    if (!report) {
        parts_.visitor->on_failure(report.error(), now() - began);
    } else if (*report) {
        parts_.visitor->on_pass(*report);
    } else {
        parts_.visitor->on_skip();
    }
    return report;
}

Result<std::shared_ptr<const PassReport>> Autoscaler::run_pass() {
    const Duration began = now();
    // A pass that fails must not repeat the request of the pass before.
    const std::optional<Time> wanted = std::exchange(wake_at_, std::nullopt);
    Result<std::shared_ptr<PassReport>> planned = plan(wanted);
    if (!planned) {
        seen_.reset();
        // Until a pass succeeds nothing shows whether nodes are needed.
        if (!memory_.unobserved_since) memory_.unobserved_since = clock_.read().now;
        return fail(std::move(planned).error());
    }
    std::shared_ptr<PassReport> report = *std::move(planned);
    if (!report) {
        wake_at_ = wanted;
        return nullptr;
    }
    const bool skips_hooks =
        report->result.skipped_hooks.size() > report->input.skipped_hooks.size();
    // A question about the pass is answered with the same inputs.
    report->input.skipped_hooks = report->result.skipped_hooks;
    report->input.expander_answers = report->result.expander_answers;
    groups_ = {report->input.snapshot.groups, report->result.groups};
    // The report does not need these.
    report->input.earlier = {};
    report->input.host = nullptr;
    report->input.snapshot.groups = report->result.groups;
    if (parts_.visitor != nullptr) parts_.visitor->on_decision(*report);
    if (const Result<void> may = parts_.may_act(); !may) {
        report->dropped_because = may.error().message;
        report->memory = memory_;
    } else {
        act(*report);
    }
    // The next pass sees what was asked for, or asks for it again.
    if (asks_for_something(report->decision())) seen_.reset();
    // A hook that was skipped may be called next time, with another decision.
    if (skips_hooks) seen_.reset();
    report->under_way = under_way_->groups();
    report->unwritten_because = unwritten_because_;
    report->at = parts_.host.loop().clock()->now();
    report->times.total = now() - began;
    return report;
}

void Autoscaler::act(PassReport& report) {
    const Duration began = now();
    const engine::Decision& decision = report.decision();
    const bool is_dry = parts_.dry_run;
    const bool is_plan = !decision.increases.empty() || !decision.decreases.empty();
    if (!is_dry)
        keep(engine::pass::remember_plan(memory_, report.result.outcome, settings_,
                                         report.input.call_context.now),
             is_plan ? MemoryStage::planned : MemoryStage::decided);
    SoftTaintTimer cluster(parts_.cluster, parts_.host.loop());
    // A copy: the report keeps the context of the decision.
    engine::CallContext call_context = report.input.call_context;
    CAPSTAN_ASSERT(call_context.dry_run == is_dry, "a dry run carries out actions");
    call_context.unwritten_because = unwritten_because_;
    if (call_context.unobserved_because.empty())
        call_context.unobserved_because = unobserved_because();
    report.results = carry_out_now(
        decision,
        engine::removal::find_node_rechecks(decision, report.input.snapshot.cluster, settings_),
        *clouds_, cluster, call_context, parts_.host, find_atomic_groups(*report.result.groups),
        {.under_way = parts_.waits_for_actions ? nullptr : under_way_,
         .length = std::max(action_patience_ - report.times.refresh, shortest_action_patience)});
    report.times.soft_taints = cluster.took();
    const Time end = parts_.host.loop().clock()->now();
    report.times.carry_out = now() - began;
    if (parts_.visitor != nullptr) parts_.visitor->on_results(report);
    memory_ = engine::pass::remember_results(report.result.outcome.memory, decision, report.results,
                                             settings_, end);
    if (!is_dry) keep(memory_, MemoryStage::results);
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

void Autoscaler::keep(const engine::Memory& memory, MemoryStage stage) {
    const Result<void> kept = parts_.keep(memory, stage);
    if (!kept) {
        unwritten_because_ = kept.error().message;
    } else if (stage != MemoryStage::decided && !unwritten_because_.empty()) {
        unwritten_because_.clear();
        // The next pass decides anew on what was held back.
        seen_.reset();
    }
}

}  // namespace capstan::autoscaler
