#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "config/toml_values.hpp"
#include "simulator/chaos/growth.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"
#include "simulator/chaos/true_pods.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// For how long nothing is certain after a node turned out to differ from its template: it may
/// still get what it lacks.
constexpr Duration settling_max = std::chrono::minutes(5);
/// How long the fate of the orders before a restart may stay unknown.
constexpr Duration fate_unknown_time = std::chrono::minutes(3);
/// For how long an ordered machine counts as about to join, although another client has taken it
/// back or deleted its Node object.
constexpr Duration order_unknown_time = std::chrono::minutes(20);
/// One in so many pods may wait longer.
constexpr std::size_t one_in = 100;

/// The default of the key `boot` of the simulated cloud.
constexpr Duration boot_default = std::chrono::seconds(60);

Duration time_of(const config::TomlValue& table, std::string_view key, Duration otherwise) {
    if (table.find(key) == nullptr) return otherwise;
    return parse_duration(text_of(table, key)).value_or(otherwise);
}

void raise(Duration& longest, const config::TomlValue& settings, std::string_view list) {
    const config::TomlValue* const entries = settings.find(list);
    if (entries == nullptr) return;
    for (const config::TomlValue& entry : entries->children)
        longest = std::max(longest, time_of(entry, "boot", boot_default));
}

/// The longest time from an order to a node that takes pods, over all groups and machine types of
/// the run: booting, registering and becoming ready, late devices and taints, and what calls and
/// lists of the clouds add. By the scenario and not by any setting of the autoscaler.
Duration longest_boot(const JudgedRun& run) {
    Duration boot{0}, calls{0};
    for (const SimulatedCloud& cloud : run.clouds) {
        raise(boot, cloud.settings, "groups");
        raise(boot, cloud.settings, "machine_types");
        // A call to list the groups, one to order machines, and one to list these.
        const Duration of_cloud = 3 * time_of(cloud.settings, "latency", Duration(0)) +
                                  time_of(cloud.settings, "list_lag", Duration(0)) +
                                  time_of(cloud.settings, "refresh_every", Duration(0));
        calls = std::max(calls, of_cloud);
    }
    Duration registering = run.input.register_delay, ready = run.input.ready_delay, late{0};
    const auto consider = [&](const Registration& registration) {
        registering = std::max(registering, registration.register_delay.value_or(Duration(0)));
        ready = std::max(ready, registration.ready_delay.value_or(Duration(0)));
        late = std::max(late, registration.late_by.value_or(Duration(0)));
    };
    for (const Registration& registration : run.input.registrations) consider(registration);
    for (const Step& step : run.input.steps) {
        for (const Action& action : step.actions) {
            if (const auto* registration = std::get_if<Registration>(&action.what))
                consider(*registration);
            if (const auto* added = std::get_if<AddGroup>(&action.what))
                boot = std::max(boot, time_of(added->group, "boot", boot_default));
        }
    }
    return boot + calls + registering + ready + late;
}

/// Whether faults of the kind keep no pod from getting a node.
bool lets_pods_start(FaultKind kind) {
    return kind == FaultKind::removal_fails || kind == FaultKind::eviction_error ||
           kind == FaultKind::policy_denial;
}

/// Whether the node offers each resource that the pod requests, when empty. Labels and taints are
/// not considered.
bool might_hold(const engine::snapshot::NodeObject& node, const engine::snapshot::PodObject& pod) {
    return std::ranges::all_of(pod.spec.requests, [&](const Resources::Entry& entry) {
        return entry.amount <= node.allocatable.amount(entry.resource);
    });
}

/// Calls `use` with each setting that a reload of the scenario makes: "scale_up.new_pod_delay=30s".
void for_each_reloaded(const Input& input, const std::function<void(std::string_view)>& use) {
    for (const Step& step : input.steps)
        for (const Action& action : step.actions)
            if (const auto* const reload = std::get_if<Reload>(&action.what))
                for (const std::string& setting : reload->settings) use(setting);
}

/// The longest new_pod_delay that the scenario asks for by a reload.
Duration reloaded_delay(const Input& input) {
    constexpr std::string_view key = "scale_up.new_pod_delay=";
    Duration out{0};
    for_each_reloaded(input, [&](std::string_view setting) {
        if (setting.starts_with(key))
            out = std::max(out, parse_duration(setting.substr(key.size())).value_or(out));
    });
    return out;
}

/// Whether the scenario asks, by a reload, to order few machines in a pass.
bool grows_slowly(const Input& input) {
    bool out = false;
    for_each_reloaded(input, [&](std::string_view setting) {
        out = out || setting.starts_with("scale_up.max_nodes_per_scaleup=") ||
              setting == "scale_up.one_option_per_pass=true";
    });
    return out;
}

/// When other clients change groups of the clouds; ascending.
std::deque<Time> changes_by_others(const Input& input) {
    std::deque<Time> out;
    Time begin = input.start;
    for (const Step& step : input.steps) {
        for (const Action& action : step.actions)
            if (std::holds_alternative<CloudChange>(action.what))
                out.push_back(begin + action.after);
        begin += step.advance.value_or(Duration(0));
    }
    std::ranges::sort(out);
    return out;
}

/// A pod's time runs while it has no node and a group that it surely fits could grow. The time
/// begins anew with each disturbance: a fault, a restart, a refusal or a loss, a machine that is
/// overdue, and a node that becomes ready and might have held the pod, because another pod may have
/// taken the room that was meant for this one. So each time that is too long is the autoscaler's.
class WaitingTime final : public Invariant {
public:
    std::string_view name() const override { return "waiting"; }

    void on_start(const JudgedRun& run) override {
        boot_ = longest_boot(run);
        start_ = run.input.start;
        delay_ = std::max(run.input.judge.new_pod_delay, reloaded_delay(run.input));
        scan_interval_ = run.input.scan_interval;
        limit_ = boot_ + 2 * scan_interval_ + delay_;
        is_slow_by_intent_ = grows_slowly(run.input);
        changes_ = changes_by_others(run.input);
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        switch (fact.kind) {
            case FactKind::pod_arrived: on_arrived(fact); break;
            case FactKind::pod_bound: on_bound(fact); break;
            case FactKind::pod_gone:
                if (const auto at = waiting_.find(fact.pod); at != waiting_.end())
                    waiting_.erase(at);
                break;
            case FactKind::node_ready: on_node(fact); break;
            case FactKind::node_unready:
            case FactKind::order_refused:
            case FactKind::orders_withdrawn:
            case FactKind::machine_failed: disturb(fact.at); break;
            case FactKind::machine_ended:
                if (fact.cause != Cause::autoscaler) disturb(fact.at);
                break;
            case FactKind::fault_began:
            case FactKind::fault_ended: on_fault(fact); break;
            default: break;
        }
        return {};
    }
    void on_restart() override { has_restarted_ = is_disturbed_ = true; }

    /// A cloud that agrees to fewer machines than it was asked for has none left.
    std::vector<std::string> on_results(const engine::Decision&,
                                        const engine::Results& results) override {
        const auto has_error = [](const auto& list) {
            return std::ranges::any_of(list, [](const auto& error) { return error.has_value(); });
        };
        // A group that is created grows in a later pass.
        if (!results.creations.empty() && !std::exchange(creates_groups_, true))
            limit_ += scan_interval_;
        if (has_error(results.increases) || has_error(results.creations) ||
            has_error(results.shortfalls))
            is_disturbed_ = true;
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        const Time now = moment.now();
        templates_.observe(moment);
        const bool is_well = moment.input.call_context.unwritten_because.empty() &&
                             is_cluster_healthy(moment.cluster(), moment.settings());
        for (; !changes_.empty() && changes_.front() <= now; changes_.pop_front())
            unsure_until_ = std::max(unsure_until_, changes_.front() + order_unknown_time);
        if (std::exchange(has_restarted_, false))
            unsure_until_ = std::max(unsure_until_, now + fate_unknown_time);
        const bool is_overdue = has_overdue(moment);
        const bool was_hindered = std::exchange(
            is_hindered_, active_ > 0 || !is_well || is_overdue || has_expendable(moment));
        if (std::exchange(is_disturbed_, false) || was_hindered || is_hindered_) disturb(now);
        observe_groups(moment);
        std::set<std::string, std::less<>> seen;
        for (const engine::PodIndex pod : moment.cluster().unbound()) {
            const auto at = waiting_.find(name_of_pod(moment.cluster(), pod));
            if (at == waiting_.end()) continue;
            seen.insert(at->first);
            observe(moment, pod, *at);
        }
        for (auto& [name, pod] : waiting_)
            if (!seen.contains(name)) pod.able.reset();
        return {};
    }

    std::vector<std::string> on_end(const Moment& last) override {
        for (auto& [name, pod] : waiting_) judge(name, pod, last.now());
        if (late_.size() * one_in <= judged_) return {};
        const auto worst = std::ranges::max_element(
            late_, {}, [](const auto& entry) { return entry.second.waited; });
        return {counted(std::ssize(late_), "pod") + " of " + std::to_string(judged_) +
                " waited longer than " + format_duration(limit_) +
                " for a node although a group could grow for them (machines boot within " +
                format_duration(boot_) + "): pod " + worst->first + " " +
                format_duration(worst->second.waited) + " for group " + worst->second.group +
                ", until " + format_duration(worst->second.until - start_)};
    }

private:
    /// The group that could grow for a pod, and since when nothing has been in the way.
    struct Able {
        std::string group{};
        Time since{};
    };
    struct Pod {
        Time since{};                ///< when its time last began
        std::optional<Able> able{};  ///< as of the last pass; absent: there is no such group
        bool is_counted = false;     ///< among those judged
        bool is_excused = false;     ///< at the last pass: it needed no machine of its own
        std::shared_ptr<const engine::snapshot::PodObject> object{};
    };
    struct Late {
        Duration waited{0};
        std::string group{};
        Time until{};
    };

    void disturb(Time at) { undisturbed_since_ = std::max(undisturbed_since_, at); }

    void on_arrived(const Fact& fact) {
        if (fact.pod_object == nullptr || stays_on_node(*fact.pod_object)) return;
        waiting_[std::string(fact.pod)] = {
            .since = fact.at,
            .object = std::make_shared<const engine::snapshot::PodObject>(*fact.pod_object)};
    }
    void on_bound(const Fact& fact) {
        const auto at = waiting_.find(fact.pod);
        if (at == waiting_.end()) return;
        judge(at->first, at->second, fact.at);
        waiting_.erase(at);
    }
    void on_node(const Fact& fact) {
        if (fact.node_object == nullptr) return;
        for (auto& [name, pod] : waiting_) {
            if (!might_hold(*fact.node_object, *pod.object)) continue;
            judge(name, pod, fact.at);
            pod.since = fact.at;
        }
        new_nodes_.insert(std::string(fact.node));
    }
    void on_fault(const Fact& fact) {
        if (!fact.fault || lets_pods_start(*fact.fault)) return;
        for (auto& [name, pod] : waiting_) judge(name, pod, fact.at);
        disturb(fact.at);
        // A machine without a Node object counts as about to join.
        if (*fact.fault == FaultKind::deleted_node)
            unsure_until_ = std::max(unsure_until_, fact.at + order_unknown_time);
        if (is_brief(*fact.fault)) return;
        active_ += fact.kind == FactKind::fault_began ? 1 : -1;
    }

    static bool is_able(const Moment& moment, const engine::Group& group, const Sums& sums) {
        const bool is_whole = group.options.zero_or_max.value_or(false);
        return !is_whole && could_grow(moment, group, group.group.target.value_or(0), 1, sums);
    }
    void observe_groups(const Moment& moment) {
        const Sums sums = sums_of(moment, DeletingMachines::counted);
        std::map<NodeGroupId, Time> able;
        for (const engine::Group& group : moment.groups()) {
            if (!is_able(moment, group, sums)) continue;
            const auto before = able_since_.find(group.group.id);
            able[group.group.id] = before == able_since_.end() ? moment.now() : before->second;
        }
        able_since_ = std::move(able);
    }

    /// Whether there is an expendable pod. The autoscaler expects kube-scheduler to preempt it,
    /// which the simulated scheduler does not.
    static bool has_expendable(const Moment& moment) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        for (engine::PodIndex pod = 0; pod < cluster.pod_count(); ++pod)
            if (is_expendable(cluster, pod, moment.settings())) return true;
        return false;
    }

    /// Whether a machine that was asked for has not become a ready node within the true boot time,
    /// or a new node turned out to differ from its template.
    bool has_overdue(const Moment& moment) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        std::set<std::string, std::less<>> ready;
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
            if (cluster.node(i).ready) ready.emplace(cluster.text(cluster.node(i).provider_id));
        std::map<NodeGroupId, Time> lacking;
        bool is_overdue = false;
        for (const engine::Group& group : moment.groups()) {
            const auto there = std::ranges::count_if(group.machines, [&](const Machine& machine) {
                return machine.state != MachineState::deleting &&
                       ready.contains(machine.id.value());
            });
            if (group.group.target.value_or(0) <= there) continue;
            const auto before = lacking_since_.find(group.group.id);
            const Time since = before == lacking_since_.end() ? moment.now() : before->second;
            lacking[group.group.id] = since;
            is_overdue = is_overdue || moment.now() - since > limit_;
        }
        lacking_since_ = std::move(lacking);
        overdue_at_ = Time::max();
        for (const auto& [group, since] : lacking_since_)
            overdue_at_ = std::min(overdue_at_, since + limit_);
        for (const std::string& name : new_nodes_) {
            const auto index = cluster.find_node(name);
            if (index && differs(moment, *index)) unsure_until_ = moment.now() + settling_max;
        }
        new_nodes_.clear();
        return is_overdue || moment.now() < unsure_until_;
    }
    static bool differs(const Moment& moment, engine::NodeIndex index) {
        const std::string_view id = moment.cluster().text(moment.cluster().node(index).provider_id);
        for (const engine::Group& group : moment.groups()) {
            const bool is_own = std::ranges::any_of(
                group.machines, [&](const Machine& m) { return m.id.value() == id; });
            if (!is_own) continue;
            if (!group.described) return true;
            const NodeTemplate own = template_from_node(moment.cluster(), index);
            return own.taints != group.described->taints ||
                   own.allocatable != group.described->allocatable ||
                   !has_all(own.labels, group.described->labels);
        }
        return true;
    }

    void observe(const Moment& moment, engine::PodIndex pod,
                 std::pair<const std::string, Pod>& waiting) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const engine::snapshot::PodRow row = cluster.pod(pod);
        Pod& own = waiting.second;
        own.able.reset();
        if (row.gated || row.deleted || cluster.text(row.unscheduled_reason).empty() ||
            is_expendable(cluster, pod, moment.settings()) ||
            may_preempt(cluster, pod, moment.settings())) {
            own.is_excused = true;
            return;
        }
        // The excuse lasted until this pass: passes are left out while nothing changes.
        if (std::exchange(own.is_excused, false)) own.since = moment.now();
        for (const engine::Group& group : moment.groups()) {
            const auto able = able_since_.find(group.group.id);
            if (able == able_since_.end() || !templates_.surely_fits(moment, pod, group)) continue;
            if (!own.able || able->second < own.able->since)
                own.able = {group.group.id.value(), able->second};
        }
        if (!own.able) return;
        if (!own.is_counted) ++judged_;
        own.is_counted = true;
        judge(waiting.first, own, moment.now());
    }

    void judge(const std::string& name, const Pod& pod, Time now) {
        if (!pod.able || active_ > 0 || is_hindered_ || is_slow_by_intent_) return;
        const Time since = std::max({pod.since, pod.able->since, undisturbed_since_});
        // From then on a machine is overdue, whether or not a pass has seen that.
        const Duration waited = std::min(now, overdue_at_) - since;
        if (waited <= limit_) return;
        Late& late = late_[name];
        if (late.waited < waited) late = {waited, pod.able->group, now};
    }

    Duration boot_{std::chrono::minutes(5)}, delay_{0}, scan_interval_{0};
    Time start_{};
    Duration limit_{std::chrono::minutes(5)};  ///< until the run is known
    ObservedTemplates templates_;
    std::map<std::string, Pod, std::less<>> waiting_;
    std::map<NodeGroupId, Time> able_since_;
    std::map<NodeGroupId, Time>
        lacking_since_;                ///< groups with fewer ready machines than asked for
    Time overdue_at_ = Time::max();    ///< when the first of these machines is overdue
    std::set<std::string> new_nodes_;  ///< ready since the last pass
    Time unsure_until_{}, undisturbed_since_{};
    int active_ = 0;  ///< faults under way
    /// The state that the last pass saw keeps pods waiting. It lasts until the next pass: passes
    /// are left out while nothing changes.
    bool is_hindered_ = false;
    bool is_disturbed_ = false, has_restarted_ = false;  ///< since the last pass
    std::deque<Time> changes_;  ///< by other clients, that are still to come
    bool is_slow_by_intent_ = false, creates_groups_ = false;
    std::size_t judged_ = 0;
    std::map<std::string, Late> late_;
};

}  // namespace

std::unique_ptr<Invariant> waiting_invariant() { return std::make_unique<WaitingTime>(); }

}  // namespace capstan::simulator::chaos
