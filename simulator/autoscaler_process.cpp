#include "simulator/autoscaler_process.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/each_action.hpp"
#include "simulator/memory_file.hpp"

namespace capstan::simulator {
namespace {

/// A restart with an old memory uses one of at least this age.
constexpr Duration old_memory_age = std::chrono::minutes(10);

/// Whether the action was not carried out, as far as is known.
bool is_refused(const std::optional<Error>& error) {
    return error && !autoscaler::is_under_way(*error);
}

}  // namespace

/// The simulated cluster as the actuator's API client: each request is carried out at once.
class AutoscalerProcess::Cluster final : public autoscaler::ClusterClient {
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

AutoscalerProcess::AutoscalerProcess(config::Config config, autoscaler::PluginHost& host,
                                     const Parts& parts)
    : host_(host),
      parts_(parts),
      config_(std::move(config)),
      patience_(autoscaler::patience_of(parts.scan_interval)),
      cluster_(std::make_unique<Cluster>(*this)),
      decision_events_(parts.event_log, parts.statistics, parts.cluster) {
    if (parts.sabotage != Sabotage::none) saboteur_.emplace(parts.sabotage);
}

AutoscalerProcess::~AutoscalerProcess() = default;

Result<std::unique_ptr<AutoscalerProcess>> AutoscalerProcess::make(
    config::Config config, autoscaler::PluginHost& host, std::uint64_t seed,
    std::optional<std::vector<Time>> cloud_changes, const Parts& parts) {
    config.cluster.scan_interval = parts.scan_interval;
    std::unique_ptr<AutoscalerProcess> out(new AutoscalerProcess(std::move(config), host, parts));
    AutoscalerProcess& self = *out;
    self.cloud_changes_ = std::move(cloud_changes);
    CAPSTAN_TRY(
        self.autoscaler_,
        autoscaler::Autoscaler::make(
            self.config_,
            {.host = host,
             .cluster = *self.cluster_,
             .look = [&self] { return self.look(); },
             .unobserved_because = [&self] { return self.unobserved_because(); },
             .may_act = [&self] { return self.may_act(); },
             .keep = [&self](const engine::Memory& memory,
                             autoscaler::MemoryStage stage) { return self.keep(memory, stage); },
             .on_late_answer =
                 [&self, lives = std::weak_ptr<const bool>(self.lives_)] {
                     if (!lives.expired()) self.on_late_answer();
                 },
             .skips_for = parts.every_pass ? Duration(0) : Duration::max(),
             .decide =
                 [&self](const autoscaler::PassInput& input,
                         plugin_runtime::instances::PassThread& thread) {
                     return self.decide(input, thread);
                 },
             .visitor = &self,
             .seed = seed,
             .simulation = true}));
    CAPSTAN_TRY(self.saved_, load_memory(parts.state, self.time()));
    if (self.saved_ == engine::Memory{}) self.saved_ = parts.memory;
    self.kept_ = self.saved_;
    self.saved_at_ = self.time();
    self.autoscaler_->begin(self.saved_);
    return out;
}

Time AutoscalerProcess::now() const { return host_.loop().clock()->now(); }

engine::PassTime AutoscalerProcess::time() const { return {now(), host_.loop().clock()->wall()}; }

void AutoscalerProcess::adopt() {
    autoscaler::Clouds& clouds = autoscaler_->all_clouds();
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
        granted_at_ ? std::max(now(), *granted_at_ + plugin_runtime::services::pass_request_pause)
                    : now();
}

Result<void> AutoscalerProcess::run() {
    const Time began = now();
    if (std::exchange(requested_pass_at_, std::nullopt)) granted_at_ = began;
    next_step_at_.reset();
    wants_refresh_ = false;
    refreshed_at_ = began;
    if (cloud_changes_) std::erase_if(*cloud_changes_, [&](Time at) { return at <= began; });
    const auto pass = autoscaler_->run();
    const std::optional<Time>& wake_at = autoscaler_->wake_at();
    if (wake_at && *wake_at <= now())
        next_step_at_ = std::max(now(), began + plugin_runtime::services::pass_pause);
    if (!pass && pass.error().code == ErrorCode::unavailable) return {};
    if (!pass) return fail(pass.error());
    if (!*pass) return {};
    CAPSTAN_CHECK(std::exchange(saving_, Result<void>()));
    if (std::exchange(drops_now_, false)) {
        drops_next_ = false;
        return begin_again(now());
    }
    if (!asks_for_something((*pass)->decision())) return {};
    // The results may change the cluster and the clouds, so the next pass has to decide again.
    has_changed_ = true;
    refresh_again();
    // The clouds have carried out the decision, whether or not the host remembers it.
    return std::exchange(forgets_next_, false) ? restart() : Result<void>();
}

Result<engine::snapshot::Cluster> AutoscalerProcess::look() {
    if (!stale_) return parts_.cluster.cluster();
    if (now() - stale_since_ <= autoscaler::cluster_age_max) return *stale_;
    return fail(ErrorCode::unavailable, unobserved_because());
}

std::string AutoscalerProcess::unobserved_because() const {
    if (!stale_) return {};
    return "Pod was last synced " + format_rough_duration(now() - stale_since_) +
           " ago: injected fault";
}

Result<void> AutoscalerProcess::may_act() const {
    if (!drops_now_) return {};
    return fail(ErrorCode::cancelled, "another process holds the Lease");
}

void AutoscalerProcess::on_late_answer() {
    refresh_again();
    next_step_at_ = now();
}

void AutoscalerProcess::on_failure(const Error& error, Duration) {
    has_changed_ = true;
    if (!std::exchange(is_failing_, true))
        parts_.event_log.add(now(), EventKind::failure, "", "a pass fails", 1, error.message);
}

void AutoscalerProcess::on_refresh(const autoscaler::CloudsView& view, const Groups& groups) {
    // A cloud that failed may answer again at any time, and a slow one takes time in each refresh.
    const bool is_any_late = std::ranges::any_of(view.states, [](const auto& state) {
        return state.is_slow || state.status == autoscaler::CloudStatus::failed;
    });
    takes_time_ = now() > refreshed_at_ || is_any_late;
    parts_.statistics.reach(now());
    groups_ = groups;
    targets_.clear();
    for (const engine::Group& group : *groups_)
        targets_[group.group.id.value()] = group.group.target.value_or(0);
    parts_.node_registrar.observe(*groups_, now());
    parts_.node_registrar.reach(now());
    parts_.cluster.schedule(now());
}

/// With sabotage the engine gets a falsified input and its result is falsified. Observers get the
/// true input and the falsified result.
Result<autoscaler::PassResult> AutoscalerProcess::decide(
    const autoscaler::PassInput& input, plugin_runtime::instances::PassThread& thread) {
    has_changed_ = false;
    autoscaler::PassInput seen = saboteur_ ? saboteur_->falsified(input) : input;
    for (const PluginInstanceId& plugin : failing_plugins_)
        for (const plugin_runtime::loop::Hook hook : plugin_runtime::loop::decision_hooks)
            seen.skipped_hooks.push_back({plugin, hook, "injected fault"});
    CAPSTAN_TRY(autoscaler::PassResult result, autoscaler::decide(std::move(seen), thread));
    if (saboteur_) saboteur_->falsify(input, result);
    return result;
}

void AutoscalerProcess::on_decision(const autoscaler::PassReport& pass) {
    is_failing_ = false;
    drops_now_ = drops_next_ && asks_for_something(pass.decision());
    parts_.statistics.passed();
    decision_events_.ended(pass.ended, now());
    for (const autoscaler::ActionsUnderWay::Ended& late : pass.ended)
        add_facts(late.decision, late.results);
    decision_events_.decided(pass.result, pass.problems, now());
    parts_.observer.on_decision(pass);
}

void AutoscalerProcess::on_results(const autoscaler::PassReport& pass) {
    parts_.statistics.reach(now());
    decision_events_.carried_out(pass.decision(), pass.results, now());
    count_asked_for(pass.decision(), pass.results);
    add_facts(pass.decision(), pass.results);
    forgets_now_ = forgets_next_ && asks_for_something(pass.decision());
}

void AutoscalerProcess::on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) {
    if (!pass->dropped_because.empty())
        parts_.event_log.add(now(), EventKind::note, "", "the decision is dropped", {},
                             pass->dropped_because);
    parts_.observer.on_pass(pass);
}

/// What the clouds agreed to and refused. An action that is under way comes with its answer.
void AutoscalerProcess::add_facts(const engine::Decision& decision,
                                  const engine::Results& results) {
    const auto add = [&](FactKind kind, const auto& action, int count, const Error* error) {
        parts_.event_log.add(Fact{.kind = kind,
                                  .cause = Cause::autoscaler,
                                  .at = now(),
                                  .group = action.group.value(),
                                  .text = error == nullptr ? std::string_view() : error->message,
                                  .count = count});
    };
    for (std::size_t i = 0; i < results.increases.size(); ++i) {
        const std::optional<Error>& error = results.increases[i];
        if (error && autoscaler::is_under_way(*error)) continue;
        if (error)
            add(FactKind::order_refused, decision.increases[i], decision.increases[i].by, &*error);
        else
            add(FactKind::machines_ordered, decision.increases[i],
                engine::count_agreed(decision.increases[i], results, i), nullptr);
    }
    for (std::size_t i = 0; i < results.decreases.size(); ++i)
        if (!results.decreases[i])
            add(FactKind::orders_withdrawn, decision.decreases[i], decision.decreases[i].by,
                nullptr);
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const engine::MachineRemoval& removal = decision.removals[i];
        for (std::size_t m = 0; m < removal.machines.size(); ++m) {
            if (engine::find_error(results.removals[i], removal.machines[m]) != nullptr) continue;
            parts_.event_log.add(
                Fact{.kind = FactKind::removal_agreed,
                     .cause = Cause::autoscaler,
                     .at = now(),
                     .node = m < removal.nodes.size() ? removal.nodes[m] : std::string_view(),
                     .group = removal.group.value(),
                     .machine = removal.machines[m].value(),
                     .removal = removal.cause});
        }
    }
}

void AutoscalerProcess::count_asked_for(const engine::Decision& decision,
                                        const engine::Results& results) {
    for (std::size_t i = 0; i < results.increases.size(); ++i)
        if (!is_refused(results.increases[i]))
            targets_[decision.increases[i].group.value()] += decision.increases[i].by;
    for (std::size_t i = 0; i < results.decreases.size(); ++i)
        if (!is_refused(results.decreases[i]))
            targets_[decision.decreases[i].group.value()] -= decision.decreases[i].by;
    for (std::size_t i = 0; i < results.removals.size(); ++i) {
        const engine::MachineRemoval& removal = decision.removals[i];
        for (const MachineId& machine : removal.machines) {
            const Error* const error = engine::find_error(results.removals[i], machine);
            if (error != nullptr && !autoscaler::is_under_way(*error)) continue;
            --targets_[removal.group.value()];
            parts_.node_registrar.expect_end(machine);
        }
    }
}

Result<void> AutoscalerProcess::keep(const engine::Memory& memory, autoscaler::MemoryStage stage) {
    if (stage == autoscaler::MemoryStage::results)
        return std::exchange(forgets_now_, false) ? Result<void>() : save(memory);
    Result<void> saved = save(memory);
    decision_events_.carrying_out();
    return saved;
}

/// Writes how the memory differs from the last one to the events, and saves it.
Result<void> AutoscalerProcess::save(const engine::Memory& memory) {
    Result<engine::Memory> fitting = fit_memory(memory);
    if (!fitting) {
        is_unsaved_ = true;
        return fail(fitting.error());
    }
    // The next pass has to decide on what was held back.
    if (std::exchange(is_unsaved_, false)) has_changed_ = true;
    decision_events_.remembered(kept_, memory, now());
    kept_ = memory;
    set_aside();
    saved_at_ = time();
    saved_ = *std::move(fitting);
    if (auto saved = save_memory(saved_, parts_.version, parts_.state, saved_at_); !saved)
        saving_ = std::move(saved);
    return {};
}

/// The memory that can be saved in place of `memory`.
Result<engine::Memory> AutoscalerProcess::fit_memory(const engine::Memory& memory) const {
    if (memory_is_refused_) return fail(ErrorCode::unavailable, "injected fault");
    return memory_room_ ? memory_within(*memory_room_, memory, parts_.version, time()) : memory;
}

std::vector<PluginInstanceId> AutoscalerProcess::deciding_plugins() const {
    const config::ScaleUpPipeline& scale_up = config_.pipeline.scale_up;
    std::set<PluginInstanceId> out(config_.pipeline.clouds.begin(), config_.pipeline.clouds.end());
    for (const auto& stage : scale_up.expanders) out.insert(stage.use);
    out.insert(scale_up.similarity.begin(), scale_up.similarity.end());
    out.insert(scale_up.splitter);
    out.insert(scale_up.group_sources.begin(), scale_up.group_sources.end());
    return {out.begin(), out.end()};
}

void AutoscalerProcess::fail_plugin(const PluginInstanceId& plugin, bool fails) {
    has_changed_ = true;
    if (fails) {
        failing_plugins_.insert(plugin);
    } else {
        failing_plugins_.erase(plugin);
    }
}

Result<void> AutoscalerProcess::restart() {
    // A process that does not lead has nothing that a restart could change.
    return lost_lease_at_ ? Result<void>() : begin_again(std::nullopt);
}

/// Keeps the memory of the last save, once in old_memory_age, for a restart with an old one.
void AutoscalerProcess::set_aside() {
    while (older_.size() > 1 && older_[1].at.now + old_memory_age <= now()) older_.pop_front();
    if (older_.empty() || older_.back().at.now + old_memory_age <= saved_at_.now)
        older_.push_back({saved_, saved_at_});
}

Result<void> AutoscalerProcess::restart_without_memory() {
    saved_ = {};
    saved_at_ = time();
    older_.clear();
    return restart();
}

Result<void> AutoscalerProcess::restart_with_old_memory() {
    const bool is_old = !older_.empty() && older_.front().at.now + old_memory_age <= now();
    if (!is_old) return restart_without_memory();
    saved_ = older_.front().memory;
    saved_at_ = older_.front().at;
    return restart();
}

/// Begins with the memory as it was last saved.
Result<void> AutoscalerProcess::begin_again(std::optional<Time> unobserved_since) {
    CAPSTAN_TRY(saved_, saved_and_read(saved_, parts_.version, saved_at_, time()));
    saved_.unobserved_since = unobserved_since;
    kept_ = saved_;
    autoscaler_->begin(saved_);
    next_step_at_.reset();
    has_changed_ = true;
    refresh_again();
    parts_.observer.on_restart(autoscaler_->memory(), now());
    return {};
}

void AutoscalerProcess::lose_lease() {
    if (!lost_lease_at_) lost_lease_at_ = now();
}

Result<void> AutoscalerProcess::regain_lease() {
    return begin_again(std::exchange(lost_lease_at_, std::nullopt));
}

void AutoscalerProcess::set_skew(Duration ahead) {
    host_.virtual_loop()->step_wall(ahead - std::exchange(skew_, ahead));
}

void AutoscalerProcess::stop_watches() {
    stale_ = parts_.cluster.cluster();
    stale_since_ = now();
}

void AutoscalerProcess::resume_watches() {
    stale_.reset();
    has_changed_ = true;
}

Result<void> AutoscalerProcess::reload(const Reload& reload) {
    config_.scale_up = reload.scale_up;
    config_.scale_down = reload.scale_down;
    config_.limits = reload.limits;
    has_changed_ = true;
    return autoscaler_->apply_config(config_);
}

std::optional<Time> AutoscalerProcess::early_pass_at() const {
    if (lost_lease_at_) return std::nullopt;
    if (!requested_pass_at_ || !next_step_at_)
        return requested_pass_at_ ? requested_pass_at_ : next_step_at_;
    return std::min(*requested_pass_at_, *next_step_at_);
}

std::optional<Time> AutoscalerProcess::wanted_at() const {
    if (lost_lease_at_) return std::nullopt;
    const bool may_change_unseen = parts_.every_pass || !cloud_changes_ || takes_time_ || stale_;
    return may_change_unseen ? std::optional(Time{}) : needed_at();
}

std::optional<Time> AutoscalerProcess::needed_at() const {
    if (lost_lease_at_) return std::nullopt;
    const bool may_show = wants_refresh_ || refreshed_at_ < refresh_until_;
    if (has_changed_ || may_show || parts_.node_registrar.is_awaiting()) return Time{};
    const std::optional<Time>& wake_at = autoscaler_->wake_at();
    if (!cloud_changes_ || cloud_changes_->empty()) return wake_at;
    return wake_at ? std::min(*wake_at, cloud_changes_->front()) : cloud_changes_->front();
}

}  // namespace capstan::simulator
