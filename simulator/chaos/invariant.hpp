/// The invariants of chaos runs: what must hold for an autoscaler whatever fails around it.
///
/// An invariant compares what a pass saw (PassInput) with what the pass asked for (Decision) and
/// with what the clouds agreed to (Results). The arithmetic is the invariant's own, because a check
/// that called the engine's rules would repeat their mistakes. Rules that are too rich to write
/// twice (affinity, spread, volumes) are not repeated: an invariant judges only what is certain
/// without them, so it may overlook a mistake, but what it reports is one.
///
/// Waste is judged by facts (facts.hpp), which are what truly happened. The bounds are absolute or
/// come from the scenario (Input::judge), and the expectations come from the scenario: boot times,
/// prices, minima, and guarantees to users such as budgets and annotations. The times, thresholds
/// and switches of the autoscaler never count, because a wrong setting is a defect, too.
///
/// Two things are taken from the engine unchecked: which node is which machine, and what Memory
/// says about back-offs and about removals under way. Mistakes there are not found here.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "engine/pass/outcome.hpp"
#include "simulator/facts.hpp"
#include "simulator/input.hpp"
#include "simulator/shared_replicas.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::chaos {

/// One pass as an invariant judges it. `input` is the true state of cluster and clouds, even if a
/// sabotage showed the engine another one. Borrows `input` and `result`.
struct Moment {
    const autoscaler::PassInput& input;
    const autoscaler::PassResult& result;
    Time calm = Time::max();  ///< from then on there are no faults and no external events
    /// The end of the run, set once it is over: nothing has happened between the pass and this.
    std::optional<Time> end{};

    /// The time of the pass, or the end of the run.
    Time now() const { return end.value_or(input.call_context.now); }
    /// `now()` on the wall clock, by which timestamps of objects are written; see PassTime.
    Time wall() const { return input.call_context.time().written(now()); }
    bool is_calm() const { return now() >= calm; }
    const engine::snapshot::Cluster& cluster() const { return input.snapshot.cluster; }
    const std::vector<engine::Group>& groups() const { return *result.groups; }
    /// NULL: the clouds list no such group.
    const engine::Group* find_group(const NodeGroupId& id) const {
        const auto at = std::ranges::find(
            groups(), id, [](const engine::Group& group) { return group.group.id; });
        return at == groups().end() ? nullptr : &*at;
    }
    const engine::Decision& decision() const { return result.outcome.decision; }
    const engine::Memory& memory() const { return result.outcome.memory; }
    const engine::Settings& settings() const { return input.settings; }
};

/// The run that is to be judged. Borrowed, valid as long as the invariant is used.
struct JudgedRun {
    const Input& input;                         ///< with its faults and random events
    const std::vector<SimulatedCloud>& clouds;  ///< as they are at the start
    Time calm = Time::max();                    ///< as in Moment
    Time end = Time::max();                     ///< max(): not known beforehand
};

/// Follows one run from its first pass to its end. The calls come in the order of the run, and each
/// returns the violations found then, one sentence per violation; empty: none.
class Invariant {
public:
    virtual ~Invariant() = default;
    /// One word for reports: "bounds".
    virtual std::string_view name() const = 0;
    /// Called once, before all others. Without it the default bounds apply.
    virtual void on_start(const JudgedRun&) {}
    /// Called for each fact as it happens: between passes, and between on_pass and on_results for
    /// what the decision causes. What a view or pointer refers to has to be copied.
    virtual std::vector<std::string> on_fact(const Fact&) { return {}; }
    /// Called after each pass, before its decision is carried out.
    virtual std::vector<std::string> on_pass(const Moment&) { return {}; }
    /// Called after each decision that was carried out, also if the autoscaler ended before it
    /// could save its memory. An action that its pass did not wait for has failed in the results of
    /// that pass; it is alone in those of a later call.
    virtual std::vector<std::string> on_results(const engine::Decision&, const engine::Results&) {
        return {};
    }
    /// Called at each moment at which something happens, if controller plugins are called.
    virtual std::vector<std::string> on_balancers(const std::vector<BalancerState>&, Time) {
        return {};
    }
    /// The autoscaler was restarted, or leads again, with the memory that it had saved. Its last
    /// decision may have been dropped.
    virtual void on_restart() {}
    /// Called in place of on_restart() if the memory was lost, or is an older one.
    virtual void on_restart_without_memory() { on_restart(); }
    /// Called when the run is over. `last` is its last pass; `last.end` is set if the end of the
    /// run is known beforehand.
    virtual std::vector<std::string> on_end(const Moment& last) {
        (void)last;
        return {};
    }
};

/// "bounds": no increase takes a group above its maximum. A target that another client set too high
/// is not a violation, since only groups that the pass grows are judged. Machines that their cloud
/// has agreed to remove do not count, even while its list still shows them.
std::unique_ptr<Invariant> bounds_invariant();
/// "limits": no increase takes a total of the cluster (nodes, cores, memory, GPUs) above its limit.
/// Machines that targets have beyond the joined ones count, because all of a target may come. What
/// the same pass gives back counts as well, because no cloud has agreed to that yet.
std::unique_ptr<Invariant> limits_invariant();
/// "minima": no decrease or removal takes a group below its minimum, and no removal of working
/// nodes takes a total of the cluster below its minimum. Machines that their cloud has agreed to
/// remove do not count, even while its list still shows them. Removals that are forced or keep the
/// target are not judged by their group's minimum.
std::unique_ptr<Invariant> minima_invariant();
/// "budgets": the evictions of one pass stay within what each budget allowed when the pass began.
std::unique_ptr<Invariant> evictions_invariant();
/// "removals": a ready node is first marked for removal only if each of its pods may be moved. A
/// working node's machine is removed only once the node carries both taints of a removal, or gets
/// the second one in the same pass and that write succeeded.
std::unique_ptr<Invariant> removals_invariant();
/// "pods": when a cloud agrees to remove a machine, the pass that asked for it saw no pod that
/// counts on the machine's node.
std::unique_ptr<Invariant> pods_invariant();
/// "leftovers": a node carries the taints and the cordon of a removal for an hour at most after the
/// removal has ended, and the taint of a leaving machine for three hours at most after the machine
/// has stopped leaving. At the end of the run only removals that are under way and not overdue have
/// taints or a cordon.
std::unique_ptr<Invariant> leftovers_invariant();
/// "service": a pod gets a node in time if a group could grow for it. The pod must surely fit the
/// group, by resources, labels and taints alone. The time (50 minutes) starts again whenever the
/// group could not grow, and whenever a machine was on its way that would have room for the pod.
std::unique_ptr<Invariant> service_invariant();
/// "purpose": each machine is asked for because of a pod that might run on it, of a minimum, or to
/// probe a back-off. One pod justifies all machines of a group that grows as a whole
/// (GroupOptions::zero_or_max). After a pass that left no pod unschedulable, nothing is asked for
/// again while pods, nodes, back-offs and targets stay as they were. "Might run" is generous:
/// affinity and spread never speak against a pod.
std::unique_ptr<Invariant> purpose_invariant();
/// "thrift": at the end of the run there is no machine that has stayed in calm for two hours
/// although it could surely have gone. A machine could go if its node is little used, and either
/// has no pods that count or has only pods for which one other node has room. The outcome is
/// judged, so the times, the switches and the threshold of [scale_down] excuse nothing. A machine
/// may stay because of a minimum, its group's own threshold, a GPU, an annotation against its
/// removal, or settings about pods that may not be moved or do not count, and while more nodes are
/// unready than the settings allow.
std::unique_ptr<Invariant> thrift_invariant();
/// "rest": in calm no machine is added and removed again without a pod that got a node in between,
/// and no group goes through more than three such rounds even if pods did. One round is allowed to
/// a group whose nodes turn out to differ from their template; a back-off restarts the count.
std::unique_ptr<Invariant> rest_invariant();
/// "price": all increases of the run together cost at most 1.3 times as much as the cheapest groups
/// that could have grown and would surely have had room for the same pods, and none costs three
/// times as much. Prices are those of the scenario; which expanders there are does not matter.
std::unique_ptr<Invariant> price_invariant();
/// "waiting": of a hundred pods that surely fit a group that could grow, at most one waits longer
/// than machines of the run take to boot, two scan intervals and the delay that the scenario
/// declares (Judge::new_pod_delay). Only time without a fault, a restart, a refusal and an overdue
/// machine counts, so what is too long is the autoscaler's.
std::unique_ptr<Invariant> waiting_invariant();
/// "moves": in calm no machine is asked for if the only pods that lack a place are those that
/// removals move, as long as the plan of each of these removals must still hold: nothing but
/// removals has happened since it was made, and the scheduler has kept to it.
std::unique_ptr<Invariant> moves_invariant();
/// "endings": a machine that has a node ends only by a removal decided for that very machine, or by
/// a fault or another client. When its cloud agrees to the removal of a ready node, no pod that
/// counts runs there.
std::unique_ptr<Invariant> endings_invariant();
/// "drains": no pod is evicted from a ready node, and no removal of its node begins, if the drain
/// rules protect the pod under the settings that the scenario means (Input::own_settings). Nodes
/// whose machines are announced to leave are not judged.
std::unique_ptr<Invariant> drains_invariant();
/// "groups": a group is made once, only if it does not exist yet, and only together with an
/// increase of it. A group is deleted only if auto-provisioning made it, it has no machines and no
/// target, and the pass does not grow it.
std::unique_ptr<Invariant> made_groups_invariant();
/// "restart": the first pass after a restart grows nothing if the pass before the restart had left
/// no pod unschedulable and nothing has changed that could call for more.
std::unique_ptr<Invariant> restart_invariant();
/// "memory": the memory after each pass equals what is read back from its text.
std::unique_ptr<Invariant> memory_invariant();
/// "balancers": the replicas that a Balancer asks of its targets add up to its replicas, as far as
/// the bounds of the targets allow; while pods wait, other targets may be asked for as many more.
/// Each target is asked for a number within its bounds. What lasts less than two minutes, or a
/// fault that keeps the controller from acting, is no violation.
std::unique_ptr<Invariant> balancers_invariant();

/// "churn": in calm the autoscaler evicts no replica of a controller again within two hours unless
/// a pod ended by itself in between, or expendable pods have nodes. In any two hours it evicts none
/// more than four times. Pods of negative priority and pods on nodes that are not ready or whose
/// machine has a termination notice do not count.
std::unique_ptr<Invariant> churn_invariant();
/// "orders": the autoscaler orders at most 1.2 machines per machine that the pods needed which the
/// machines were ordered for.
std::unique_ptr<Invariant> orders_invariant();
/// "returns": of five ordered machines at most one is removed before it could be a node, although a
/// pod that it was ordered for is pending and nothing went wrong with it.
std::unique_ptr<Invariant> returns_invariant();
/// "node_hours": nodes run for at most 1.5 times as long as a first-fit with hindsight needs, plus
/// 20 minutes per machine.
std::unique_ptr<Invariant> node_hours_invariant();

/// One of each of the above.
std::vector<std::unique_ptr<Invariant>> all_invariants();

}  // namespace capstan::simulator::chaos
