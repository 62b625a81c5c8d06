/// What has to be true of an autoscaler whatever goes wrong. Each is judged by arithmetic of its
/// own on what a pass saw and what it asked for. Of the engine they use what says which node is
/// which machine, and what its memory says of back-offs and of removals under way: what is wrong
/// there is not found here.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

#include "engine/pass/outcome.hpp"
#include "runtime/pass_cycle.hpp"

namespace capstan::simulation::chaos {

/// One pass over the cluster and the clouds as they are, whatever the pass made of them.
struct Moment {
    const runtime::PassInput& input;
    const runtime::PassResult& result;
    Time calm = Time::max();  ///< from then on nothing comes from outside
    std::optional<Time>
        end{};  ///< of the run, once it is over: nothing has happened since the pass

    Time now() const { return end.value_or(input.call_context.now); }
    /// What objects were written by, see PassTime.
    Time wall() const { return input.call_context.time().written(now()); }
    bool is_calm() const { return now() >= calm; }
    const engine::snapshot::Cluster& cluster() const { return input.snapshot.cluster; }
    const std::vector<engine::Group>& groups() const { return *result.groups; }
    /// NULL: there is none.
    const engine::Group* find_group(const NodeGroupId& id) const {
        const auto at = std::ranges::find(
            groups(), id, [](const engine::Group& group) { return group.group.id; });
        return at == groups().end() ? nullptr : &*at;
    }
    const engine::Decision& decision() const { return result.outcome.decision; }
    const engine::Memory& memory() const { return result.outcome.memory; }
    const engine::Settings& settings() const { return input.settings; }
};

class Invariant {
public:
    virtual ~Invariant() = default;
    /// "bounds": in one word, for reports.
    virtual std::string_view name() const = 0;
    /// What is wrong; empty: nothing is.
    virtual std::vector<std::string> on_pass(const Moment&) { return {}; }
    /// After each decision that was carried out, also where the host died before it could remember.
    virtual std::vector<std::string> on_results(const engine::Decision&, const engine::Results&) {
        return {};
    }
    virtual void on_restart() {}
    /// Calm has lasted; `last` is the last pass there was, and its `end` is set.
    virtual std::vector<std::string> on_end(const Moment& last) {
        (void)last;
        return {};
    }
};

/// No group above its maximum by an act of ours.
std::unique_ptr<Invariant> bounds_invariant();
/// The cluster's limits are kept by our acts.
std::unique_ptr<Invariant> limits_invariant();
/// No group and no total of the cluster below its minimum by an act of ours, machines counted that
/// a cloud has agreed to remove and still lists.
std::unique_ptr<Invariant> minima_invariant();
/// No more evictions than budgets allow.
std::unique_ptr<Invariant> evictions_invariant();
/// No removal begins with a pod on the node that may not be moved, and each was announced by both
/// taints before it is carried out.
std::unique_ptr<Invariant> removals_invariant();
/// No machine goes by our act under a pod that counts.
std::unique_ptr<Invariant> pods_invariant();
/// No node keeps our taints or our cordon once its removal has ended.
std::unique_ptr<Invariant> leftovers_invariant();
/// Pods that fit a group that could grow get a node within a bound.
std::unique_ptr<Invariant> service_invariant();
/// Each machine is asked for because of a pod that may run on it, or of a minimum; all machines of
/// a group that grows as a whole because of one pod. As long as the picture stays the same, none is
/// asked for twice.
std::unique_ptr<Invariant> purpose_invariant();
/// In calm no machine stays that could surely go: one without pods, or one whose pods have room on
/// one other node. Judged by the outcome: times, switches and the threshold of [scale_down] excuse
/// nothing. Excused is what minima, a group's own threshold, and settings about pods that may not
/// be moved or do not count keep, and a cluster with more unready nodes than the settings allow.
std::unique_ptr<Invariant> thrift_invariant();
/// In calm no machine is bought and thrown away without a pod that got a node in between.
std::unique_ptr<Invariant> rest_invariant();
/// Where the price decides first, no group is grown that costs a multiple of another that would
/// surely have done.
std::unique_ptr<Invariant> cost_invariant();
/// No group is made twice or without need, and none deleted that has machines, is to have some, or
/// was not made by auto-provisioning.
std::unique_ptr<Invariant> made_groups_invariant();
/// After a restart nothing is asked for a second time.
std::unique_ptr<Invariant> restart_invariant();
/// Memory comes back from its text as it was.
std::unique_ptr<Invariant> memory_invariant();

std::vector<std::unique_ptr<Invariant>> all_invariants();

}  // namespace capstan::simulation::chaos
