#include <set>
#include <string>

#include "engine/templates/membership.hpp"
#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation {
namespace {

/// Amounts of the cluster that limits are about, as far as they are certain.
struct Sum {
    std::int64_t cpu = 0, memory = 0, nodes = 0;
    void add(const Resources& capacity, std::int64_t count) {
        cpu += capacity.amount("cpu") * count;
        memory += capacity.amount("memory") * count;
        nodes += count;
    }
};

std::string above(std::string_view what, std::int64_t sum, const engine::Bound& bound) {
    if (!bound.max || sum <= *bound.max) return {};
    return std::string(what) + " is to be " + std::to_string(sum) + ", above the limit " +
           std::to_string(*bound.max);
}

std::string below(std::string_view what, std::int64_t sum, const engine::Bound& bound) {
    if (sum >= bound.min) return {};
    return std::string(what) + " is to be " + std::to_string(sum) + ", below the limit " +
           std::to_string(bound.min);
}

class Limits final : public Invariant {
public:
    std::string_view name() const override { return "limits"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        const engine::Settings& s = moment.settings();
        std::vector<std::string> out;
        const auto note = [&](std::string text) {
            if (!text.empty()) out.push_back(std::move(text));
        };
        if (!moment.decision().increases.empty()) {
            const Sum sum = after_increases(moment);
            note(above("cpu", sum.cpu, s.cpu));
            note(above("memory", sum.memory, s.memory));
            note(above("the number of nodes", sum.nodes, s.nodes));
        }
        if (const auto gone = removed(moment); !gone.empty()) {
            const Sum sum = after_removals(moment, gone);
            note(below("cpu", sum.cpu, s.cpu));
            note(below("memory", sum.memory, s.memory));
            note(below("the number of nodes", sum.nodes, s.nodes));
        }
        return out;
    }

private:
    /// Nodes there are, less those whose machines go, and what is newly asked for.
    static Sum after_increases(const Moment& moment) {
        Sum sum;
        const engine::Snapshot snapshot{moment.cluster(), moment.result.groups};
        const engine::Membership membership = engine::make_membership(snapshot);
        for (engine::NodeIndex i = 0; i < moment.cluster().node_count(); ++i) {
            const Machine* machine = engine::find_machine(snapshot, membership, i);
            if (machine != nullptr && machine->state == MachineState::deleting) continue;
            sum.add(*moment.cluster().node(i).capacity, 1);
        }
        for (const engine::Group& group : moment.groups()) {
            if (!group.described) continue;
            // What a group that is left alone was asked for has failed or is too late, and goes.
            const bool is_given_up = moment.memory().backoffs.contains(group.group.id);
            if (!is_given_up)
                sum.add(group.described->capacity, on_the_way(group, snapshot, membership));
            sum.add(group.described->capacity, asked_for(moment, group.group.id));
        }
        return sum;
    }
    /// Machines that are starting and not nodes yet; those that run may never become any.
    static std::int64_t on_the_way(const engine::Group& group, const engine::Snapshot& snapshot,
                                   const engine::Membership& membership) {
        std::set<MachineId> joined;
        for (engine::NodeIndex i = 0; i < snapshot.cluster.node_count(); ++i) {
            if (const Machine* machine = engine::find_machine(snapshot, membership, i))
                joined.insert(machine->id);
        }
        return std::ranges::count_if(group.machines, [&](const Machine& machine) {
            const bool is_coming =
                machine.state == MachineState::requested || machine.state == MachineState::creating;
            return is_coming && !machine.error && !joined.contains(machine.id);
        });
    }
    static std::int64_t asked_for(const Moment& moment, const NodeGroupId& group) {
        std::int64_t out = 0;
        for (const engine::Increase& increase : moment.decision().increases)
            out += increase.group == group ? increase.by : 0;
        return out;
    }
    /// By need, not because they are broken.
    static std::set<std::string> removed(const Moment& moment) {
        std::set<std::string> out;
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            if (removal.cause == engine::RemovalCause::never_joined ||
                removal.cause == engine::RemovalCause::failed)
                continue;
            for (const std::string& node : removal.nodes) {
                if (!node.empty()) out.insert(node);
            }
        }
        return out;
    }
    static Sum after_removals(const Moment& moment, const std::set<std::string>& gone) {
        Sum sum;
        for (engine::NodeIndex i = 0; i < moment.cluster().node_count(); ++i) {
            const engine::NodeRow& node = moment.cluster().node(i);
            if (!gone.contains(std::string(moment.cluster().text(node.name))))
                sum.add(*node.capacity, 1);
        }
        return sum;
    }
};

}  // namespace

std::unique_ptr<Invariant> limits_invariant() { return std::make_unique<Limits>(); }

}  // namespace capstan::simulation
