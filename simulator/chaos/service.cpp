#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/each_action.hpp"
#include "simulator/chaos/growth.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// Covers a machine that never joins (a quarter of an hour), one that joins and is never ready
/// (another), and one more try.
constexpr Duration growth_timeout = std::chrono::minutes(50);

/// A pod is late once two clocks have both run for `growth_timeout`: the pod's, which starts when
/// it begins to wait and again whenever a machine is on its way that has room for it, and that of a
/// group it surely fits, which starts when the group becomes able to grow.
class Service final : public Invariant {
public:
    std::string_view name() const override { return "service"; }

    /// Without the Lease, or without a view of the cluster, the autoscaler makes no pass. All
    /// clocks begin again afterwards.
    std::vector<std::string> on_fact(const Fact& fact) override {
        const bool stops_passes = fact.fault == FaultKind::lost_lease ||
                                  fact.fault == FaultKind::takeover ||
                                  fact.fault == FaultKind::unobserved;
        if (fact.kind == FactKind::fault_ended && stops_passes) able_since_.clear();
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        templates_.observe(moment);
        check_groups(moment);
        check_machines(moment);
        on_pods_changed(moment);
        std::vector<std::string> out;
        for (const auto& [name, waiting] : waiting_) {
            if (reported_.contains(name)) continue;
            const std::string group = find_late(moment, waiting);
            if (group.empty()) continue;
            reported_.insert(name);
            out.push_back("pod " + name + " has been pending for " +
                          format_duration(moment.now() - waiting.since) + ", and group " + group +
                          " could have grown for the last " + format_duration(growth_timeout));
        }
        return out;
    }

    /// A group that refused an increase restarts its clock.
    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        for_each_action_of<engine::Increase>(
            decision, results,
            [&](const engine::Increase& increase, const engine::ActionResult& result) {
                if (result.error() != nullptr) able_since_.erase(increase.group.value());
            });
        return {};
    }

    std::vector<std::string> on_end(const Moment& last) override {
        std::vector<std::string> out;
        for (const auto& [name, waiting] : waiting_) {
            if (last.now() - waiting.since < growth_timeout) continue;
            for (const engine::Group& group : last.groups()) {
                if (was_able(last, group.group.id) &&
                    templates_.surely_fits(last, waiting.pod, group))
                    out.push_back("at the end of the run, pod " + name +
                                  " is still pending, but group " + group.group.id.value() +
                                  " could grow for it");
            }
        }
        return out;
    }

private:
    struct Waiting {
        Time since{};
        engine::PodIndex pod = 0;  ///< in the snapshot of the last pass
        Time expected{};           ///< when a machine with room for it was last on its way
    };

    /// Whether the group could already grow before the last pass and did not refuse then. A group
    /// that has only now become able may be about to be asked.
    bool was_able(const Moment& last, const NodeGroupId& id) const {
        const auto able = able_since_.find(id.value());
        return able != able_since_.end() && able->second < last.now();
    }

    static bool is_able(const Moment& moment, const engine::Group& group, const Sums& sums) {
        const int target = group.group.target.value_or(0);
        const bool is_whole = group.options.zero_or_max.value_or(false);
        if (is_whole && (target > 0 || !group.group.max)) return false;
        const int machines = is_whole ? std::max(1, *group.group.max) : 1;
        return could_grow(moment, group, target, machines, sums);
    }
    void check_groups(const Moment& moment) {
        // While the memory cannot be written, nothing is ordered.
        const bool is_well = moment.input.call_context.unwritten_because.empty() &&
                             is_cluster_healthy(moment.cluster(), moment.settings());
        // A group that is deleted and made again under the same name restarts its clock.
        std::erase_if(able_since_, [&](const auto& entry) {
            return moment.find_group(NodeGroupId(entry.first)) == nullptr;
        });
        const Sums sums = sums_of(moment, DeletingMachines::counted);
        for (const engine::Group& group : moment.groups()) {
            const std::string& id = group.group.id.value();
            if (is_well && is_able(moment, group, sums)) {
                able_since_.try_emplace(id, moment.now());
            } else {
                able_since_.erase(id);
            }
        }
    }

    /// Finds the groups with machines that may yet become ready nodes, because the time for that
    /// has not run out. Waiting for such a machine is right, even if several in a row fail.
    void check_machines(const Moment& moment) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        std::set<std::string, std::less<>> ready;
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
            if (cluster.node(i).ready) ready.emplace(cluster.text(cluster.node(i).provider_id));
        std::map<MachineId, Time> coming;
        on_their_way_.clear();
        for (const engine::Group& group : moment.groups()) {
            const Duration most = group.options.max_node_provision_time.value_or(
                                      moment.settings().max_node_provision_time) +
                                  moment.settings().max_node_startup_time;
            for (const Machine& machine : group.machines) {
                const bool comes = machine.state != MachineState::deleting &&
                                   machine.state != MachineState::failed && !machine.error;
                if (!comes || ready.contains(machine.id.value())) continue;
                const auto before = coming_.find(machine.id);
                const Time since = before == coming_.end() ? moment.now() : before->second;
                coming[machine.id] = since;
                if (moment.now() - since <= most) on_their_way_.insert(group.group.id);
            }
        }
        coming_ = std::move(coming);
    }
    /// Whether the pod surely fits a machine on its way. The cloud's template decides, because it
    /// is not known yet how the machine's node will turn out.
    bool fits_upcoming(const Moment& moment, engine::PodIndex pod) const {
        return std::ranges::any_of(on_their_way_, [&](const NodeGroupId& id) {
            return surely_fits(moment.cluster(), pod, *moment.find_group(id), moment.settings());
        });
    }

    void on_pods_changed(const Moment& moment) {
        std::map<std::string, Waiting> now;
        for (const engine::PodIndex pod : moment.cluster().unbound()) {
            const engine::snapshot::PodRow row = moment.cluster().pod(pod);
            if (row.gated || row.deleted ||
                is_expendable(moment.cluster(), pod, moment.settings()) ||
                may_preempt(moment.cluster(), pod, moment.settings()))
                continue;
            const std::string name = name_of_pod(moment.cluster(), pod);
            const auto before = waiting_.find(name);
            Waiting& waiting = now[name];
            if (before != waiting_.end()) waiting = before->second;
            if (before == waiting_.end()) waiting.since = moment.now();
            waiting.pod = pod;
            if (fits_upcoming(moment, pod)) waiting.expected = moment.now();
        }
        std::erase_if(reported_, [&](const std::string& name) { return !now.contains(name); });
        waiting_ = std::move(now);
    }

    /// The group that should have grown for the pod by now; empty: there is none.
    std::string find_late(const Moment& moment, const Waiting& waiting) const {
        if (moment.now() - std::max(waiting.since, waiting.expected) < growth_timeout) return {};
        for (const engine::Group& group : moment.groups()) {
            const auto able = able_since_.find(group.group.id.value());
            if (able == able_since_.end() || moment.now() - able->second < growth_timeout) continue;
            if (templates_.surely_fits(moment, waiting.pod, group)) return able->first;
        }
        return {};
    }

    ObservedTemplates templates_;
    std::map<std::string, Time> able_since_;  ///< by group
    std::map<MachineId, Time> coming_;        ///< machines without a ready node, since when
    std::set<NodeGroupId> on_their_way_;      ///< groups with machines to wait for
    std::map<std::string, Waiting> waiting_;  ///< by pod
    std::set<std::string> reported_;          ///< pods
};

}  // namespace

std::unique_ptr<Invariant> service_invariant() { return std::make_unique<Service>(); }

}  // namespace capstan::simulator::chaos
