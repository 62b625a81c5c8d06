/// What has to be true of an autoscaler whatever goes wrong. Each is judged by its own arithmetic
/// on what a pass saw and what it asked for, never by the engine's.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

#include "engine/pass.hpp"
#include "runtime/pass_cycle.hpp"

namespace capstan::simulation {

/// One pass.
struct Moment {
    const runtime::PassInput& input;
    const runtime::PassResult& result;

    Time now() const { return input.circumstances.now; }
    const engine::Cluster& cluster() const { return input.snapshot.cluster; }
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
    virtual std::vector<std::string> on_results(const engine::Decision&, const engine::Results&) {
        return {};
    }
    virtual void on_restart() {}
    /// The clock went forward, and nobody could do anything meanwhile.
    virtual void on_clock_jump() {}
    /// Calm has lasted; `last` is the last pass there was.
    virtual std::vector<std::string> on_end(const Moment& last) {
        (void)last;
        return {};
    }
};

/// No group above its maximum or below its minimum by an act of ours.
std::unique_ptr<Invariant> bounds_invariant();
/// The cluster's limits are kept by our acts.
std::unique_ptr<Invariant> limits_invariant();
/// No more evictions than budgets allow.
std::unique_ptr<Invariant> evictions_invariant();
/// No removal begins with a pod on the node that may not be moved, none is carried out with a pod
/// on it that still runs, and each was announced by both taints before.
std::unique_ptr<Invariant> removals_invariant();
/// No node keeps our taints or our cordon once nobody removes it any more.
std::unique_ptr<Invariant> leftovers_invariant();
/// Pods that fit a group that could grow get a node within a bound.
std::unique_ptr<Invariant> service_invariant();
/// No group is made twice or for nobody, and none deleted that has machines, is to have some, or
/// was not made by auto-provisioning.
std::unique_ptr<Invariant> made_groups_invariant();
/// After a restart nothing is asked for a second time.
std::unique_ptr<Invariant> restart_invariant();
/// Memory comes back from its text as it was.
std::unique_ptr<Invariant> memory_invariant();

std::vector<std::unique_ptr<Invariant>> all_invariants();

}  // namespace capstan::simulation
