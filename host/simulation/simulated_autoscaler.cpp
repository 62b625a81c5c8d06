#include "simulation/simulated_autoscaler.hpp"

#include <algorithm>
#include <utility>

#include "engine/health/cloud_backoff.hpp"
#include "engine/health/known_groups.hpp"
#include "runtime/engine_settings.hpp"
#include "simulation/memory_file.hpp"

namespace capstan::simulation {
namespace {

/// Whether a pass would see no difference between the two. Prices and options are requested again
/// in each pass, so they are not compared.
bool is_same(const engine::Group& a, const engine::Group& b) {
    return a.group == b.group && a.machines == b.machines && a.cloud == b.cloud &&
           a.undescribed_because == b.undescribed_because &&
           a.unreadable_because == b.unreadable_because &&
           (a.described == b.described ||
            (a.described && b.described && *a.described == *b.described));
}

bool asks_for_nothing(const engine::Decision& decision) {
    return decision.decreases.empty() && decision.removals.empty() && decision.increases.empty() &&
           decision.node_changes.empty() && decision.evictions.empty() &&
           decision.creations.empty() && decision.deletions.empty();
}

}  // namespace

/// The simulated cluster as the actuator's API client: each request is carried out at once.
class SimulatedAutoscaler::Cluster final : public runtime::ClusterClient {
public:
    explicit Cluster(SimulatedAutoscaler& autoscaler) : autoscaler_(autoscaler) {}

    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                 RecheckDone done) override {
        const bool is_unobserved = autoscaler_.saboteur_ && autoscaler_.saboteur_->is_unobserved();
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            done(at, answer([&](SimulatedCluster& cluster, Time) {
                     return is_unobserved ? Result<void>() : cluster.recheck(nodes[at]);
                 }));
        }
    }
    void change(const engine::NodeChange& change, Done done) override {
        done(answer(
            [&](SimulatedCluster& cluster, Time now) { return cluster.change(change, now); }));
    }
    void evict(const engine::Eviction& eviction, Done done) override {
        done(answer([&](SimulatedCluster& cluster, Time now) -> Result<void> {
            if (autoscaler_.evictions_are_denied_)
                return fail(ErrorCode::permission, "denied by an admission policy");
            return cluster.evict(eviction, now);
        }));
    }

private:
    template <class Ask>
    Result<void> answer(Ask ask) {
        if (autoscaler_.api_is_broken_)
            return fail(ErrorCode::unavailable, "the API server does not respond");
        autoscaler_.parts_.statistics.reach(autoscaler_.now());
        return ask(autoscaler_.parts_.cluster, autoscaler_.now());
    }

    SimulatedAutoscaler& autoscaler_;
};

SimulatedAutoscaler::SimulatedAutoscaler(const runtime::config::Config& config,
                                         runtime::PluginHost& host, std::uint64_t seed,
                                         const Parts& parts)
    : host_(host),
      parts_(parts),
      settings_(runtime::make_settings(config.scale_up, config.scale_down, config.limits)),
      seed_(seed),
      decision_events_(parts.event_log, parts.statistics, parts.cluster) {
    if (parts.sabotage != Sabotage::none) saboteur_.emplace(parts.sabotage);
}

Result<SimulatedAutoscaler> SimulatedAutoscaler::make(
    const runtime::config::Config& config, runtime::PluginHost& host, std::uint64_t seed,
    std::optional<std::vector<Time>> cloud_changes, const Parts& parts) {
    SimulatedAutoscaler out(config, host, seed, parts);
    out.cloud_changes_ = std::move(cloud_changes);
    CAPSTAN_TRY(out.wiring_, runtime::wire(config.pipeline, host));
    CAPSTAN_TRY(out.clouds_, runtime::Clouds::make(config.pipeline, host));
    out.patience_ = runtime::patience_of(parts.scan_interval);
    CAPSTAN_TRY(out.memory_, load_memory(parts.state, out.time()));
    out.kept_at_ = out.time();
    return out;
}

Time SimulatedAutoscaler::now() const { return host_.loop().clock()->now(); }

engine::PassTime SimulatedAutoscaler::time() const { return {now(), host_.loop().clock()->wall()}; }

void SimulatedAutoscaler::adopt() {
    groups_ = clouds_->refresh_now(host_).groups;
    parts_.node_registrar.adopt(*groups_, now());
    clouds_->set_patience(patience_);
}

void SimulatedAutoscaler::refresh_again() {
    wants_refresh_ = true;
    refresh_until_ = now() + parts_.lag;
}

void SimulatedAutoscaler::request_pass() {
    refresh_again();
    if (requested_pass_at_) return;
    requested_pass_at_ =
        granted_at_ ? std::max(now(), *granted_at_ + runtime::services::pass_request_pause) : now();
}

void SimulatedAutoscaler::refresh_clouds() {
    wants_refresh_ = false;
    refreshed_at_ = now();
    if (cloud_changes_) std::erase_if(*cloud_changes_, [&](Time at) { return at <= now(); });
    const Time before = now();
    const runtime::CloudsView view = clouds_->refresh_now(
        host_, {.backed_off = engine::health::find_backed_off_clouds(memory_, now()),
                .probed = engine::health::find_probed_clouds(memory_)});
    memory_ = engine::health::remember_refreshes(std::move(memory_), view.results(), now());
    // A cloud that failed may answer again at any time, and a slow one takes time in each refresh.
    const bool is_any_late = std::ranges::any_of(view.states, [](const auto& state) {
        return state.is_slow || state.status == runtime::CloudStatus::failed;
    });
    takes_time_ = now() > before || is_any_late;
    parts_.statistics.reach(now());
    std::vector<std::string> problems;
    for (const Error& problem : view.problems) problems.push_back(problem.message);
    const Groups groups = engine::health::with_unread_groups(view.groups, view.unread, memory_);
    const bool is_like_before = problems == problems_ && groups_->size() == groups->size() &&
                                std::ranges::equal(*groups_, *groups, is_same);
    if (!is_like_before) has_changed_ = true;
    groups_ = groups;
    machine_types_ = view.machines;
    unread_ = view.unread;
    cloud_views_ = view.cloud_views;
    targets_.clear();
    for (const engine::Group& group : *groups_)
        targets_[group.group.id.value()] = group.group.target.value_or(0);
    problems_ = std::move(problems);
    parts_.node_registrar.observe(*groups_, now());
    parts_.node_registrar.reach(now());
    if (parts_.cluster.schedule(now())) has_changed_ = true;
}

runtime::PassInput SimulatedAutoscaler::input() const {
    return {.snapshot = {parts_.cluster.cluster(), groups_, machine_types_, unread_, cloud_views_},
            .memory = memory_,
            .settings = settings_,
            .wiring = wiring_,
            .clouds = clouds_->instances(),
            .call_context = {.seed = seed_, .now = now(), .wall = time().wall, .simulation = true},
            .host = &host_};
}

Result<void> SimulatedAutoscaler::run() {
    if (std::exchange(requested_pass_at_, std::nullopt)) granted_at_ = now();
    refresh_clouds();
    const bool is_awake = has_changed_ || (wake_at_ && *wake_at_ <= now());
    if (!is_awake && !parts_.every_pass) return {};
    has_changed_ = false;
    runtime::PassInput input = this->input();
    CAPSTAN_TRY(runtime::PassResult result, decide(input));
    // Questions about this pass are answered with the expanders' answers of the decision.
    input.expander_answers = result.expander_answers;
    parts_.statistics.passed();
    wake_at_ = result.outcome.wake_at;
    decision_events_.decided(result, problems_, now());
    parts_.observer.on_pass(input, result);
    return carry_out(std::move(result), input);
}

/// With sabotage the engine gets a falsified input and its result is falsified. Observers get the
/// true input and the falsified result.
Result<runtime::PassResult> SimulatedAutoscaler::decide(const runtime::PassInput& input) {
    if (!saboteur_) return runtime::decide(input);
    CAPSTAN_TRY(runtime::PassResult result, runtime::decide(saboteur_->falsified(input)));
    saboteur_->falsify(input, result);
    return result;
}

Result<void> SimulatedAutoscaler::carry_out(runtime::PassResult result,
                                            const runtime::PassInput& input) {
    engine::pass::Outcome& outcome = result.outcome;
    const engine::Decision& decision = outcome.decision;
    CAPSTAN_CHECK(
        keep(engine::pass::remember_plan(memory_, outcome, settings_, input.call_context.now)));
    Cluster cluster(*this);
    decision_events_.carrying_out();
    const engine::Results results = runtime::carry_out_now(
        decision, engine::removal::find_node_rechecks(decision, input.snapshot.cluster, settings_),
        *clouds_, cluster, input.call_context, host_, runtime::find_atomic_groups(*result.groups));
    parts_.statistics.reach(now());
    decision_events_.carried_out(decision, results, now());
    count_asked_for(decision, results);
    const auto report = [&] {
        parts_.observer.on_results({.snapshot = input.snapshot,
                                    .settings = settings_,
                                    .decision = decision,
                                    .results = results,
                                    .memory = memory_,
                                    .figures = outcome.figures,
                                    .at = now()});
    };
    if (!asks_for_nothing(decision)) {
        // The results may change the cluster and the clouds, so the next pass has to decide again.
        has_changed_ = true;
        refresh_again();
        if (std::exchange(forgets_next_, false)) {
            // The clouds have carried out the decision, whether or not the host remembers it.
            report();
            return restart();
        }
    }
    CAPSTAN_CHECK(keep(engine::pass::remember_results(std::move(outcome.memory), decision, results,
                                                      settings_, now())));
    report();
    return {};
}

void SimulatedAutoscaler::count_asked_for(const engine::Decision& decision,
                                          const engine::Results& results) {
    for (std::size_t i = 0; i < results.increases.size(); ++i)
        if (!results.increases[i])
            targets_[decision.increases[i].group.value()] += decision.increases[i].by;
    for (std::size_t i = 0; i < results.decreases.size(); ++i)
        if (!results.decreases[i])
            targets_[decision.decreases[i].group.value()] -= decision.decreases[i].by;
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const engine::MachineRemoval& removal = decision.removals[i];
        for (const MachineId& machine : removal.machines) {
            if (engine::find_error(results.removals[i], machine) != nullptr) continue;
            --targets_[removal.group.value()];
            parts_.node_registrar.expect_end(machine);
        }
    }
}

Result<void> SimulatedAutoscaler::keep(engine::Memory memory) {
    decision_events_.remembered(memory_, memory, now());
    memory_ = std::move(memory);
    kept_at_ = time();
    return save_memory(memory_, parts_.version, parts_.state, kept_at_);
}

Result<void> SimulatedAutoscaler::restart() {
    CAPSTAN_TRY(memory_, saved_and_read(memory_, parts_.version, kept_at_, time()));
    memory_.cloud_backoffs.clear();
    memory_.request_backoffs.clear();
    wake_at_.reset();
    has_changed_ = true;
    refresh_again();
    parts_.observer.on_restart(memory_, now());
    return {};
}

std::optional<Time> SimulatedAutoscaler::wanted_at() const {
    const bool may_change_unseen = parts_.every_pass || !cloud_changes_ || takes_time_;
    return may_change_unseen ? std::optional(Time{}) : needed_at();
}

std::optional<Time> SimulatedAutoscaler::needed_at() const {
    const bool may_show = wants_refresh_ || refreshed_at_ < refresh_until_;
    if (has_changed_ || may_show || parts_.node_registrar.is_awaiting()) return Time{};
    if (!cloud_changes_ || cloud_changes_->empty()) return wake_at_;
    return wake_at_ ? std::min(*wake_at_, cloud_changes_->front()) : cloud_changes_->front();
}

}  // namespace capstan::simulation
