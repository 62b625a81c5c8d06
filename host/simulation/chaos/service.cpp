#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <capstan/duration.hpp>

#include "engine/each_action.hpp"
#include "simulation/chaos/growth.hpp"
#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/sums.hpp"
#include "simulation/pod_predicates.hpp"

namespace capstan::simulation::chaos {
namespace {

/// A machine that never joins is waited for a quarter of an hour, one that is never ready for
/// another; then the next try.
constexpr Duration growth_patience = std::chrono::minutes(50);

class Service final : public Invariant {
public:
    std::string_view name() const override { return "service"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        looks_.see(moment);
        see_groups(moment);
        see_machines(moment);
        see_pods(moment);
        std::vector<std::string> out;
        for (const auto& [name, waiting] : waiting_) {
            if (told_.contains(name)) continue;
            const std::string group = find_late(moment, waiting);
            if (group.empty()) continue;
            told_.insert(name);
            out.push_back("pod " + name + " waits for " +
                          format_duration(moment.now() - waiting.since) + ", and group " + group +
                          " could have grown for the last " + format_duration(growth_patience));
        }
        return out;
    }

    /// What went wrong in carrying out is a reason to wait again.
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
            if (last.now() - waiting.since < growth_patience) continue;
            for (const engine::Group& group : last.groups()) {
                if (was_able(last, group.group.id) && looks_.surely_fits(last, waiting.pod, group))
                    out.push_back("at the end, in calm, pod " + name + " still waits, and group " +
                                  group.group.id.value() + " would have room for it");
            }
        }
        return out;
    }

private:
    struct Waiting {
        Time since{};
        engine::snapshot::PodIndex pod = 0;  ///< of the last pass
        Time hoped{};  ///< a machine was last on its way that would have room for it
    };

    /// Before the last pass, too, and it was not refused then: otherwise it is about to be asked.
    bool was_able(const Moment& last, const NodeGroupId& id) const {
        const auto able = able_since_.find(id.value());
        return able != able_since_.end() && able->second < last.now();
    }

    static bool is_able(const Moment& moment, const engine::Group& group) {
        const int target = group.group.target.value_or(0);
        const bool is_whole = group.options.zero_or_max.value_or(false);
        if (is_whole && (target > 0 || !group.group.max)) return false;
        const int machines = is_whole ? std::max(1, *group.group.max) : 1;
        return could_grow(moment, group, target, machines, sums_of(moment, Going::counts));
    }
    void see_groups(const Moment& moment) {
        const bool is_well = is_cluster_well(moment.cluster(), moment.settings());
        // One that is made anew under the same name begins anew.
        std::erase_if(able_since_, [&](const auto& entry) {
            return moment.find_group(NodeGroupId(entry.first)) == nullptr;
        });
        for (const engine::Group& group : moment.groups()) {
            const std::string& id = group.group.id.value();
            if (is_well && is_able(moment, group)) {
                able_since_.try_emplace(id, moment.now());
            } else {
                able_since_.erase(id);
            }
        }
    }

    /// Groups with machines that have yet to become ready nodes, each for no longer than that may
    /// take. Waiting for one of these is right, however many in a row come to nothing.
    void see_machines(const Moment& moment) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        std::set<std::string, std::less<>> ready;
        for (engine::snapshot::NodeIndex i = 0; i < cluster.node_count(); ++i)
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
    /// By the template: what a machine that has not joined turns out to be is not known.
    bool is_schedulable(const Moment& moment, engine::snapshot::PodIndex pod) const {
        return std::ranges::any_of(on_their_way_, [&](const NodeGroupId& id) {
            return surely_fits(moment.cluster(), pod, *moment.find_group(id), moment.settings());
        });
    }

    void see_pods(const Moment& moment) {
        std::map<std::string, Waiting> now;
        for (const engine::snapshot::PodIndex pod : moment.cluster().unbound()) {
            const engine::snapshot::PodRow row = moment.cluster().pod(pod);
            if (row.gated || row.deleted ||
                is_expendable(moment.cluster(), pod, moment.settings()) ||
                may_push_others_aside(moment.cluster(), pod, moment.settings()))
                continue;
            const std::string name = name_of_pod(moment.cluster(), pod);
            const auto before = waiting_.find(name);
            Waiting& waiting = now[name];
            if (before != waiting_.end()) waiting = before->second;
            if (before == waiting_.end()) waiting.since = moment.now();
            waiting.pod = pod;
            if (is_schedulable(moment, pod)) waiting.hoped = moment.now();
        }
        std::erase_if(told_, [&](const std::string& name) { return !now.contains(name); });
        waiting_ = std::move(now);
    }

    /// The group that could have taken it; empty: none.
    std::string find_late(const Moment& moment, const Waiting& waiting) const {
        if (moment.now() - std::max(waiting.since, waiting.hoped) < growth_patience) return {};
        for (const engine::Group& group : moment.groups()) {
            const auto able = able_since_.find(group.group.id.value());
            if (able == able_since_.end() || moment.now() - able->second < growth_patience)
                continue;
            if (looks_.surely_fits(moment, waiting.pod, group)) return able->first;
        }
        return {};
    }

    KnownLooks looks_;
    std::map<std::string, Time> able_since_;
    std::map<MachineId, Time> coming_;    ///< machines without a ready node, since when
    std::set<NodeGroupId> on_their_way_;  ///< groups of machines to wait for
    std::map<std::string, Waiting> waiting_;
    std::set<std::string> told_;
};

}  // namespace

std::unique_ptr<Invariant> service_invariant() { return std::make_unique<Service>(); }

}  // namespace capstan::simulation::chaos
