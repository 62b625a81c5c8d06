#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/chaos/fact_ledger.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// Machines of one group that are ordered within this time are one wave.
constexpr Duration wave_time = std::chrono::minutes(2);
/// Pods that get a node within this time after its machine was listed count as those that the
/// machine was ordered for.
constexpr Duration service_time = std::chrono::minutes(15);
/// The machines that the autoscaler ordered, against the machines that the pods on them needed. A
/// wave of orders is judged with hindsight: by first-fit of the pods that got a node of the wave,
/// of those that were pending when it was ordered and have got another node or have gone since, and
/// of nothing else. Machines that failed, were lost, or did not join because of a fault count
/// neither as ordered nor as needed, nor do requests that were taken back because the cloud had no
/// machines.
class Orders final : public Invariant {
public:
    std::string_view name() const override { return "orders"; }

    void on_start(const JudgedRun& run) override { bound_ = run.input.judge.orders; }

    std::vector<std::string> on_fact(const Fact& fact) override {
        if (fact.kind == FactKind::removal_agreed) settle(fact.machine);
        if (fact.kind == FactKind::machine_ended && fact.cause != Cause::autoscaler)
            settled_.insert(std::string(fact.machine));
        ledger_.observe(fact);
        if (fact.kind == FactKind::pod_bound) serve(fact);
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        ledger_.observe(moment.groups(), moment.now());
        ledger_.observe(moment.decision());
        for (const engine::Group& group : moment.groups()) {
            const std::string& id = group.group.id.value();
            wholes_[id] = group.options.zero_or_max.value_or(false);
            if (group.described) sizes_[id] = room_on_new_node(moment.cluster(), group);
            if (group.group.target.value_or(0) < group.group.min.value_or(0))
                below_minimum_.insert(id);
        }
        return {};
    }

    std::vector<std::string> on_end(const Moment&) override {
        for (const auto& [id, machine] : ledger_.machines()) settle(id);
        double ordered = 0, needed = 0;
        for (auto& [key, wave] : waves_) {
            const auto need = std::min<double>(wave.machines, first_fit(key.first, wave));
            ordered += wave.machines;
            needed += need;
        }
        if (ordered <= bound_ * needed + machines_tolerated) return {};
        return {std::to_string(static_cast<int>(ordered)) + " machines were ordered and " +
                counted(static_cast<int>(needed), "machine") +
                " would have been enough for the pods "
                "that they were ordered for"};
    }

private:
    struct Wave {
        int machines = 0;
        std::map<std::string, LedgerPod> pods{};  ///< by name
    };

    /// Keeps the pod for the wave of its machine. Pods of one node with constraints hold it alone.
    void serve(const Fact& fact) {
        const LedgerMachine* const machine = ledger_.machine_of(fact.node);
        const LedgerPod* const pod = ledger_.find_pod(fact.pod);
        if (machine == nullptr || pod == nullptr || machine->ordered_for == nullptr ||
            pod->belongs_to_node || fact.at - machine->listed > service_time)
            return;
        served_[std::string(ledger_.id_of(fact.node))].insert_or_assign(std::string(fact.pod),
                                                                        *pod);
    }

    /// Adds the machine to its wave, unless a cloud or a fault is to blame.
    void settle(std::string_view id) {
        const LedgerMachine* const machine = ledger_.find_machine(id);
        if (machine == nullptr || machine->ordered_for == nullptr ||
            !settled_.insert(std::string(id)).second || machine->has_failed ||
            wholes_[machine->group] || below_minimum_.contains(machine->group))
            return;
        const auto served = served_.find(std::string(id));
        if (served == served_.end() && is_excused(*machine)) return;
        Wave& wave = wave_of(*machine);
        ++wave.machines;
        if (served != served_.end()) {
            wave.pods.insert(served->second.begin(), served->second.end());
        }
    }

    /// Whether a machine without pods was ordered with good reason: a fault kept it from joining,
    /// or a pod that it was ordered for has gone or has got another node.
    bool is_excused(const LedgerMachine& machine) const {
        if (machine.is_withdrawn || machine.is_announced) return true;
        if (is_late(machine)) return true;
        for (const FaultKind kind : {FaultKind::never_joins, FaultKind::stock_out,
                                     FaultKind::slow_scheduler, FaultKind::flap})
            if (ledger_.had_fault(kind, machine.group, machine.listed)) return true;
        return std::ranges::any_of(*machine.ordered_for, [&](const std::string& name) {
            const LedgerPod* const pod = ledger_.find_pod(name);
            if (pod == nullptr) return true;
            const LedgerNode* const node = ledger_.find_node(pod->node);
            if (node != nullptr && node->joined < machine.listed) return true;
            const LedgerMachine* const other = ledger_.machine_of(pod->node);
            return other != nullptr && is_late(*other);
        });
    }

    /// A simulated machine runs and joins only once its cloud's list shows it running. While the
    /// cloud cannot be read it comes too late for its pods, and others are ordered for them.
    static bool is_late(const LedgerMachine& machine) {
        return machine.started.value_or(machine.listed) - machine.listed > service_time;
    }

    Wave& wave_of(const LedgerMachine& machine) {
        const auto begin = waves_.lower_bound({machine.group, machine.listed - wave_time});
        if (begin != waves_.end() && begin->first.first == machine.group &&
            begin->first.second <= machine.listed + wave_time)
            return begin->second;
        return waves_[{machine.group, machine.listed}];
    }

    /// How many machines of the group the pods of the wave need. A pod with constraints needs one
    /// of its own.
    double first_fit(const std::string& group, const Wave& wave) const {
        std::vector<Resources> rooms;
        double alone = 0;
        std::vector<const LedgerPod*> pods;
        for (const auto& [name, pod] : wave.pods) {
            if (pod.is_constrained)
                ++alone;
            else
                pods.push_back(&pod);
        }
        const auto size = sizes_.find(group);
        if (size == sizes_.end()) return wave.machines;
        std::ranges::stable_sort(pods, [](const LedgerPod* a, const LedgerPod* b) {
            return a->requests.amount("cpu") > b->requests.amount("cpu");
        });
        for (const LedgerPod* const pod : pods) {
            const auto has_room = [&](const Resources& room) {
                return std::ranges::all_of(pod->requests, [&](const auto& entry) {
                    return entry.amount <= room.amount(entry.resource);
                });
            };
            auto room = std::ranges::find_if(rooms, has_room);
            if (room == rooms.end()) room = rooms.insert(rooms.end(), size->second);
            *room -= pod->requests;
        }
        return alone + static_cast<double>(rooms.size());
    }

    FactLedger ledger_;
    double bound_ = Judge().orders;
    std::set<std::string> settled_;
    std::map<std::string, std::map<std::string, LedgerPod>> served_;  ///< by machine
    std::map<std::pair<std::string, Time>, Wave> waves_;
    std::map<std::string, bool> wholes_;
    std::map<std::string, Resources> sizes_;
    std::set<std::string> below_minimum_;
};

}  // namespace

std::unique_ptr<Invariant> orders_invariant() { return std::make_unique<Orders>(); }

}  // namespace capstan::simulator::chaos
