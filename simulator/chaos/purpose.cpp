#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/picture.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// The time within which a cloud's list shows an agreed target.
constexpr Duration list_lag_max = std::chrono::minutes(5);
/// How long the fate of a cancelled order, or of the orders before a restart, may stay unknown. No
/// repeated order is judged meanwhile.
constexpr Duration unknown_order_time = std::chrono::minutes(3);

/// The nodes whose pods need another node: removals under way, and machines that are announced to
/// leave.
std::set<engine::NodeIndex> leaving_nodes(const Moment& moment) {
    std::set<engine::NodeIndex> out;
    for (const auto& [node, removal] : moment.memory().removals)
        if (const auto index = moment.cluster().find_node(node)) out.insert(*index);
    std::set<std::string, std::less<>> leaving;
    for (const engine::Group& group : moment.groups())
        for (const Machine& machine : group.machines)
            if (machine.leaves) leaving.insert(machine.id.value());
    for (engine::NodeIndex n = 0; n < moment.cluster().node_count(); ++n)
        if (leaving.contains(moment.cluster().text(moment.cluster().node(n).provider_id)))
            out.insert(n);
    return out;
}

/// Pods that need a node, or will once their node is gone.
std::vector<engine::PodIndex> wanting_pods(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    std::vector<engine::PodIndex> out;
    for (const engine::PodIndex pod : cluster.unbound())
        if (counts(cluster, pod, moment.settings()) && !cluster.pod(pod).gated) out.push_back(pod);
    for (const engine::NodeIndex node : leaving_nodes(moment)) {
        for (const engine::PodIndex pod : cluster.pods_on(node))
            if (!belongs_to_node(cluster, pod)) out.push_back(pod);
    }
    return out;
}

/// All templates that a new machine of the group may turn out to have: the plan of a group to be
/// made, the cloud's template, and each existing node of the group.
std::vector<NodeTemplate> templates_of(const Moment& moment, const NodeGroupId& id) {
    std::vector<NodeTemplate> out;
    for (const autoscaler::PlannedGroupAnswer& candidate_group : moment.result.candidate_groups)
        if (candidate_group.group && candidate_group.group->planned.group.id == id)
            out.push_back(candidate_group.group->planned.node);
    const engine::Group* const group = moment.find_group(id);
    if (group == nullptr) return out;
    if (group->described) out.push_back(*group->described);
    const engine::snapshot::Cluster& cluster = moment.cluster();
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        const std::string_view own = cluster.text(cluster.node(i).provider_id);
        if (std::ranges::any_of(group->machines,
                                [&](const Machine& m) { return m.id.value() == own; }))
            out.push_back(template_from_node(cluster, i));
    }
    return out;
}

/// Whether the scheduler has yet to try a pod. The autoscaler plans such a pod only later.
bool has_untried_pods(const Moment& moment) {
    const engine::snapshot::Cluster& cluster = moment.cluster();
    return std::ranges::any_of(cluster.unbound(), [&](engine::PodIndex pod) {
        return cluster.text(cluster.pod(pod).unscheduled_reason).empty() &&
               counts(cluster, pod, moment.settings());
    });
}

int missing_to_minimum(const Moment& moment, const NodeGroupId& id) {
    const engine::Group* const group = moment.find_group(id);
    if (group == nullptr) return 0;
    return std::max(0, group->group.min.value_or(0) - group->group.target.value_or(0));
}

bool grows_as_a_whole(const Moment& moment, const NodeGroupId& id) {
    const engine::Group* const group = moment.find_group(id);
    return group != nullptr && group->options.zero_or_max.value_or(false);
}

/// Two checks. A useless machine is one more than there are pods that might run on it. A repeated
/// order comes after a pass that helped all pods, though nothing has changed that could make its
/// orders insufficient. The second order is a violation only once the cloud's targets show both: a
/// cloud that gave less than it was asked for is rightly asked again.
///
/// While a list lacks the machine of an existing node, the machine counts as upcoming, and pods may
/// be planned on it. When it is listed again, these pods rightly get another machine.
class Purpose final : public Invariant {
public:
    std::string_view name() const override { return "purpose"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        const Time last = std::exchange(now_, moment.now());
        check_machines(moment, last);
        if (now_ <= unsure_until_) before_.reset();
        confirm(moment, out);
        if (!moment.decision().increases.empty()) {
            find_useless(moment, out);
            if (before_ && is_unchanged(moment, *before_)) find_repeated(moment, *before_, out);
        }
        const bool asks = !moment.decision().increases.empty();
        if (asks || (before_ && !is_unchanged(moment, *before_))) before_.reset();
        if (asks && now_ > unsure_until_) remember(moment);
        return out;
    }
    /// After a refusal the pass may rightly ask elsewhere. After a cancelled call it is unknown
    /// whether the cloud got the order, so repeated orders are not judged for a while.
    std::vector<std::string> on_results(const engine::Decision&,
                                        const engine::Results& results) override {
        for (const auto& refusal : results.increases) {
            if (!refusal) continue;
            before_.reset();
            if (refusal->code == ErrorCode::cancelled) unsure_until_ = now_ + unknown_order_time;
        }
        return {};
    }
    void on_restart() override {
        before_.reset();
        unsure_until_ = now_ + unknown_order_time;
    }

private:
    /// The last pass that asked for machines. Forgotten as soon as a change may have made these
    /// insufficient.
    struct Ordered {
        Picture picture{};
        std::map<std::string, int> asked{};  ///< targets by group, including the increases
        bool has_scheduled_all = false;      ///< every pod was helped, and no target lowered
        Time at{};
    };
    /// A suspected repetition, which becomes a violation if the targets come to show both orders.
    struct Repeated {
        std::map<std::string, int> targets{};  ///< by group, with both orders
        std::set<NodeGroupId> groups{};        ///< those asked again
        std::set<std::string> waiting{};       ///< pods without a node, then
        std::string text{};
        Time until{};
    };

    static void find_useless(const Moment& moment, std::vector<std::string>& out) {
        const std::vector<engine::PodIndex> pods = wanting_pods(moment);
        int machines = 0;
        for (const engine::Increase& increase : moment.decision().increases) {
            if (probes_backoff(moment, increase)) continue;
            const int missing = missing_to_minimum(moment, increase.group);
            // One pod is enough for all machines of a group that grows as a whole.
            const bool is_whole = grows_as_a_whole(moment, increase.group);
            const int needed = is_whole ? (missing > 0 ? 0 : 1) : increase.by - missing;
            machines += std::max(0, needed);
            const std::vector<NodeTemplate> templates = templates_of(moment, increase.group);
            const auto suited = std::ranges::count_if(pods, [&](engine::PodIndex pod) {
                return std::ranges::any_of(templates, [&](const NodeTemplate& node) {
                    return might_fit(moment.cluster(), pod, node);
                });
            });
            if (!templates.empty() && needed > suited)
                out.push_back("group " + increase.group.value() + " grows by " +
                              std::to_string(increase.by) + ", but only " + counted(suited, "pod") +
                              " could run there: " + increase.because);
        }
        if (machines > std::ssize(pods))
            out.push_back(counted(machines, "machine") + " requested, but only " +
                          counted(std::ssize(pods), "pod") + " could use them");
    }

    /// Records since when each machine has been there, and since when without a ready node: since
    /// the pass before the one that saw it first, because there may have been none for a long time.
    void check_machines(const Moment& moment, Time last) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        std::set<std::string, std::less<>> ready;
        for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n)
            if (cluster.node(n).ready) ready.emplace(cluster.text(cluster.node(n).provider_id));
        std::map<MachineId, Time> there, unready;
        for (const engine::Group& group : moment.groups()) {
            for (const Machine& machine : group.machines) {
                const auto listed = there_since_.find(machine.id);
                there[machine.id] = listed == there_since_.end() ? last : listed->second;
                if (ready.contains(machine.id.value())) continue;
                const auto before = unready_since_.find(machine.id);
                unready[machine.id] = before == unready_since_.end() ? last : before->second;
            }
        }
        there_since_ = std::move(there);
        unready_since_ = std::move(unready);
    }

    /// Whether a machine without a ready node is given up: it has been so for too long, or its time
    /// to join has run out since `ordered` although its node was there for a while.
    bool has_overdue(const Moment& moment, Time ordered) const {
        const auto is_overdue = [&](const engine::Group& group, const Machine& machine) {
            const auto since = unready_since_.find(machine.id);
            if (since == unready_since_.end()) return false;
            const Duration limit = group.options.max_node_provision_time.value_or(
                moment.settings().max_node_provision_time);
            const Time end = there_since_.at(machine.id) + limit;
            return now_ - since->second >= limit || (ordered < end && end <= now_);
        };
        return std::ranges::any_of(moment.groups(), [&](const engine::Group& group) {
            return std::ranges::any_of(
                group.machines, [&](const Machine& machine) { return is_overdue(group, machine); });
        });
    }

    /// Whether the machines asked for before must still suffice: no new pod, no changed node, no
    /// fallen target, no failure, no machine given up, no node whose machine is listed again.
    bool is_unchanged(const Moment& moment, const Ordered& last) const {
        const engine::Settings& settings = moment.settings();
        if (settings.new_pod_delay > Duration(0) || settings.max_pods_considered > 0 ||
            settings.one_option_per_pass || !last.has_scheduled_all)
            return false;
        const engine::Decision& decision = moment.decision();
        if (!decision.decreases.empty() || !decision.removals.empty()) return false;
        const Picture now = picture_of(moment);
        const Picture& before = last.picture;
        const auto has_fallen = [&](const auto& target) {
            const auto at = now.targets.find(target.first);
            return at == now.targets.end() || at->second < target.second;
        };
        return !has_failures(moment) && !has_overdue(moment, last.at) &&
               std::ranges::includes(before.waiting, now.waiting) &&
               before.running == now.running && before.nodes == now.nodes &&
               std::ranges::includes(now.unlisted, before.unlisted) && before.going == now.going &&
               before.backed_off == now.backed_off &&
               std::ranges::none_of(before.targets, has_fallen);
    }

    void find_repeated(const Moment& moment, const Ordered& last, std::vector<std::string>& out) {
        Repeated repeated{.targets = last.asked,
                          .waiting = picture_of(moment).waiting,
                          .until = moment.now() + list_lag_max};
        bool is_shown = true;
        for (const auto& [group, asked] : last.asked) {
            const engine::Group* const now = moment.find_group(NodeGroupId(group));
            is_shown = is_shown && now != nullptr && now->group.target.value_or(0) >= asked;
        }
        for (const engine::Increase& increase : moment.decision().increases) {
            if (missing_to_minimum(moment, increase.group) > 0) continue;
            repeated.groups.insert(increase.group);
            repeated.targets[increase.group.value()] += increase.by;
            repeated.text += (repeated.text.empty() ? "" : "; ") + increase.group.value() + " by " +
                             std::to_string(increase.by) + ": " + increase.because;
        }
        if (repeated.groups.empty()) return;
        repeated.text =
            "machines requested again although nothing changed since all pods were planned: " +
            repeated.text;
        if (is_shown) {
            out.push_back(repeated.text);
        } else {
            repeated_.push_back(std::move(repeated));
        }
    }

    /// Reports suspected repetitions that the targets now confirm. A cloud that gave less than it
    /// was asked for never shows both orders; a cloud whose list was late does. A suspicion is
    /// dropped when the group grows once more or other pods wait, because the targets may then have
    /// grown for another reason.
    void confirm(const Moment& moment, std::vector<std::string>& out) {
        if (repeated_.empty()) return;
        const std::set<std::string> waiting = picture_of(moment).waiting;
        std::erase_if(repeated_, [&](const Repeated& repeated) {
            if (moment.now() > repeated.until) return true;
            const bool are_both_there =
                std::ranges::all_of(repeated.targets, [&](const auto& entry) {
                    const engine::Group* const now = moment.find_group(NodeGroupId(entry.first));
                    return now != nullptr && now->group.target.value_or(0) >= entry.second;
                });
            if (are_both_there) out.push_back(repeated.text);
            const bool grows_again = std::ranges::any_of(
                moment.decision().increases,
                [&](const auto& increase) { return repeated.groups.contains(increase.group); });
            return are_both_there || grows_again ||
                   !std::ranges::includes(repeated.waiting, waiting);
        });
    }

    void remember(const Moment& moment) {
        const engine::Decision& decision = moment.decision();
        Ordered ordered{.picture = picture_of(moment),
                        .has_scheduled_all = decision.unschedulable.empty() &&
                                             decision.decreases.empty() &&
                                             !has_untried_pods(moment),
                        .at = moment.now()};
        ordered.asked = ordered.picture.targets;
        for (const engine::Increase& increase : decision.increases)
            ordered.asked[increase.group.value()] += increase.by;
        before_ = std::move(ordered);
    }

    Time now_{};
    Time unsure_until_{};  ///< until then orders of unknown fate may still take effect
    std::optional<Ordered> before_;
    std::vector<Repeated> repeated_;
    std::map<MachineId, Time> there_since_{}, unready_since_{};
};

}  // namespace

std::unique_ptr<Invariant> purpose_invariant() { return std::make_unique<Purpose>(); }

}  // namespace capstan::simulator::chaos
