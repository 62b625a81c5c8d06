#include "simulation/autoscaler_process.hpp"

#include <algorithm>
#include <utility>

#include "engine/each_action.hpp"
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

}  // namespace

/// The simulated cluster as the actuator's API client: each request is carried out at once.
class AutoscalerProcess::Cluster final : public runtime::ClusterClient {
public:
    explicit Cluster(AutoscalerProcess& autoscaler) : autoscaler_(autoscaler) {}

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

    AutoscalerProcess& autoscaler_;
};

AutoscalerProcess::AutoscalerProcess(runtime::PluginHost& host, const Parts& parts)
    : host_(host),
      parts_(parts),
      patience_(runtime::patience_of(parts.scan_interval)),
      cluster_(std::make_unique<Cluster>(*this)),
      decision_events_(parts.event_log, parts.statistics, parts.cluster) {
    if (parts.sabotage != Sabotage::none) saboteur_.emplace(parts.sabotage);
}

AutoscalerProcess::~AutoscalerProcess() = default;

Result<std::unique_ptr<AutoscalerProcess>> AutoscalerProcess::make(
    runtime::config::Config config, runtime::PluginHost& host, std::uint64_t seed,
    std::optional<std::vector<Time>> cloud_changes, const Parts& parts) {
    std::unique_ptr<AutoscalerProcess> out(new AutoscalerProcess(host, parts));
    AutoscalerProcess& self = *out;
    self.cloud_changes_ = std::move(cloud_changes);
    config.cluster.scan_interval = parts.scan_interval;
    CAPSTAN_TRY(
        self.autoscaler_,
        runtime::Autoscaler::make(
            config,
            {.host = host,
             .cluster = *self.cluster_,
             .look = [&self]() -> Result<engine::snapshot::Cluster> {
                 return self.parts_.cluster.cluster();
             },
             .may_act = [] { return Result<void>(); },
             .keep = [&self](const engine::Memory& memory,
                             runtime::MemoryStage stage) { self.keep(memory, stage); },
             .may_leave_out = [&self] { return self.may_leave_out(); },
             .decide =
                 [&self](const runtime::PassInput& input, runtime::instances::PassThread& thread) {
                     return self.decide(input, thread);
                 },
             .visitor = &self,
             .seed = seed,
             .simulation = true,
             .waits_for_actions = true}));
    CAPSTAN_TRY(self.saved_, load_memory(parts.state, self.time()));
    self.saved_at_ = self.time();
    self.autoscaler_->begin(self.saved_);
    return out;
}

Time AutoscalerProcess::now() const { return host_.loop().clock()->now(); }

engine::PassTime AutoscalerProcess::time() const { return {now(), host_.loop().clock()->wall()}; }

void AutoscalerProcess::adopt() {
    runtime::Clouds& clouds = autoscaler_->all_clouds();
    clouds.set_patience(std::nullopt);
    groups_ = clouds.refresh_now(host_).groups;
    parts_.node_registrar.adopt(*groups_, now());
    clouds.set_patience(patience_);
}

void AutoscalerProcess::refresh_again() {
    wants_refresh_ = true;
    refresh_until_ = now() + parts_.lag;
}

void AutoscalerProcess::request_pass() {
    refresh_again();
    if (requested_pass_at_) return;
    requested_pass_at_ =
        granted_at_ ? std::max(now(), *granted_at_ + runtime::services::pass_request_pause) : now();
}

Result<void> AutoscalerProcess::run() {
    if (std::exchange(requested_pass_at_, std::nullopt)) granted_at_ = now();
    wants_refresh_ = false;
    refreshed_at_ = now();
    if (cloud_changes_) std::erase_if(*cloud_changes_, [&](Time at) { return at <= now(); });
    CAPSTAN_TRY(const std::shared_ptr<const runtime::PassReport> pass, autoscaler_->run());
    if (!pass) return {};
    wake_at_ = autoscaler_->wake_at();
    CAPSTAN_CHECK(std::exchange(saving_, Result<void>()));
    report_results(*pass);
    if (!asks_for_something(pass->decision())) return {};
    // The results may change the cluster and the clouds, so the next pass has to decide again.
    has_changed_ = true;
    refresh_again();
    // The clouds have carried out the decision, whether or not the host remembers it.
    return std::exchange(forgets_next_, false) ? restart() : Result<void>();
}

void AutoscalerProcess::on_refresh(const runtime::CloudsView& view, const Groups& groups) {
    // A cloud that failed may answer again at any time, and a slow one takes time in each refresh.
    const bool is_any_late = std::ranges::any_of(view.states, [](const auto& state) {
        return state.is_slow || state.status == runtime::CloudStatus::failed;
    });
    takes_time_ = now() > refreshed_at_ || is_any_late;
    parts_.statistics.reach(now());
    std::vector<std::string> problems;
    for (const Error& problem : view.problems) problems.push_back(problem.message);
    const bool is_like_before = problems == problems_ && groups_->size() == groups->size() &&
                                std::ranges::equal(*groups_, *groups, is_same);
    if (!is_like_before) has_changed_ = true;
    groups_ = groups;
    targets_.clear();
    for (const engine::Group& group : *groups_)
        targets_[group.group.id.value()] = group.group.target.value_or(0);
    problems_ = std::move(problems);
    parts_.node_registrar.observe(*groups_, now());
    parts_.node_registrar.reach(now());
    if (parts_.cluster.schedule(now())) has_changed_ = true;
}

bool AutoscalerProcess::may_leave_out() const {
    return !parts_.every_pass && !has_changed_ && !(wake_at_ && *wake_at_ <= now());
}

/// With sabotage the engine gets a falsified input and its result is falsified. Observers get the
/// true input and the falsified result.
Result<runtime::PassResult> AutoscalerProcess::decide(const runtime::PassInput& input,
                                                      runtime::instances::PassThread& thread) {
    has_changed_ = false;
    if (!saboteur_) return runtime::decide(input, thread);
    CAPSTAN_TRY(runtime::PassResult result, runtime::decide(saboteur_->falsified(input), thread));
    saboteur_->falsify(input, result);
    return result;
}

void AutoscalerProcess::on_decision(const runtime::PassReport& pass) {
    parts_.statistics.passed();
    decision_events_.decided(pass.result, problems_, now());
    parts_.observer.on_pass(pass.input, pass.result);
}

void AutoscalerProcess::on_results(const runtime::PassReport& pass) {
    parts_.statistics.reach(now());
    decision_events_.carried_out(pass.decision(), pass.results, now());
    count_asked_for(pass.decision(), pass.results);
    forgets_now_ = forgets_next_ && asks_for_something(pass.decision());
}

void AutoscalerProcess::count_asked_for(const engine::Decision& decision,
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

void AutoscalerProcess::keep(const engine::Memory& memory, runtime::MemoryStage stage) {
    if (stage == runtime::MemoryStage::results) {
        if (!std::exchange(forgets_now_, false)) save(memory, saved_);
        return;
    }
    save(memory, autoscaler_->memory());
    decision_events_.carrying_out();
}

/// Writes how the memory differs from `before` to the events, and saves it.
void AutoscalerProcess::save(const engine::Memory& memory, const engine::Memory& before) {
    decision_events_.remembered(before, memory, now());
    saved_at_ = time();
    if (auto saved = save_memory(memory, parts_.version, parts_.state, saved_at_); !saved)
        saving_ = std::move(saved);
    saved_ = memory;
}

void AutoscalerProcess::report_results(const runtime::PassReport& pass) {
    parts_.observer.on_results({.snapshot = pass.input.snapshot,
                                .settings = pass.input.settings,
                                .decision = pass.decision(),
                                .results = pass.results,
                                .memory = saved_,
                                .figures = pass.result.outcome.figures,
                                .at = now()});
}

Result<void> AutoscalerProcess::restart() {
    CAPSTAN_TRY(saved_, saved_and_read(saved_, parts_.version, saved_at_, time()));
    autoscaler_->begin(saved_);
    wake_at_.reset();
    has_changed_ = true;
    refresh_again();
    parts_.observer.on_restart(autoscaler_->memory(), now());
    return {};
}

std::optional<Time> AutoscalerProcess::wanted_at() const {
    const bool may_change_unseen = parts_.every_pass || !cloud_changes_ || takes_time_;
    return may_change_unseen ? std::optional(Time{}) : needed_at();
}

std::optional<Time> AutoscalerProcess::needed_at() const {
    const bool may_show = wants_refresh_ || refreshed_at_ < refresh_until_;
    if (has_changed_ || may_show || parts_.node_registrar.is_awaiting()) return Time{};
    if (!cloud_changes_ || cloud_changes_->empty()) return wake_at_;
    return wake_at_ ? std::min(*wake_at_, cloud_changes_->front()) : cloud_changes_->front();
}

}  // namespace capstan::simulation
