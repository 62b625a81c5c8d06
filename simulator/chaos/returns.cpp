#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "config/toml_values.hpp"
#include "simulator/chaos/fact_ledger.hpp"
#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

/// Machines that are removed before they have served a pod, although a pod that they were ordered
/// for still waits, and although nothing went wrong with them: no error of the cloud, no fault, and
/// less time than a machine of the group needs to become a ready node. A machine that has not come
/// by then may be given up.
class Returns final : public Invariant {
public:
    std::string_view name() const override { return "returns"; }

    void on_start(const JudgedRun& run) override {
        bound_ = run.input.judge.returns;
        const Duration joining = run.input.register_delay + run.input.ready_delay;
        for (const SimulatedCloud& cloud : run.clouds) {
            const config::TomlValue* const groups = cloud.settings.find("groups");
            if (groups == nullptr) continue;
            for (const config::TomlValue& group : groups->children)
                if (const auto boot = parse_duration(text_of(group, "boot")))
                    start_up_[text_of(group, "id")] = *boot + joining;
        }
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        if (fact.kind == FactKind::machines_ordered) ordered_ += fact.count;
        std::vector<std::string> out;
        if (fact.kind == FactKind::removal_agreed) out = judge(fact);
        ledger_.observe(fact);
        return out;
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        ledger_.observe(moment.groups(), moment.now());
        ledger_.observe(moment.decision());
        return {};
    }
    std::vector<std::string> on_end(const Moment&) override { return {}; }

private:
    std::vector<std::string> judge(const Fact& fact) {
        const LedgerMachine* const machine = ledger_.find_machine(fact.machine);
        if (machine == nullptr || machine->ordered_for == nullptr || machine->has_served ||
            machine->has_failed || machine->is_announced)
            return {};
        const Duration age = fact.at - machine->listed;
        const auto start_up = start_up_.find(machine->group);
        if (start_up == start_up_.end() || age > start_up->second) return {};
        for (const FaultKind kind :
             {FaultKind::never_joins, FaultKind::stock_out, FaultKind::quota, FaultKind::flap})
            if (ledger_.had_fault(kind, machine->group, machine->listed)) return {};
        const bool is_waited_for =
            std::ranges::any_of(*machine->ordered_for, [&](const std::string& name) {
                const LedgerPod* const pod = ledger_.find_pod(name);
                return pod != nullptr && pod->node.empty();
            });
        if (!is_waited_for) return {};
        ++returned_;
        if (returned_ <= bound_ * ordered_ + machines_tolerated) return {};
        return {"machine " + std::string(fact.machine) + " is removed " + format_duration(age) +
                " after its order, before it could be a node, and pods that it was ordered for are "
                "pending; so were " +
                std::to_string(returned_ - 1) + " of " + counted(ordered_, "ordered machine")};
    }

    FactLedger ledger_;
    double bound_ = Judge().returns;
    std::map<std::string, Duration> start_up_;  ///< by group
    int ordered_ = 0, returned_ = 0;
};

}  // namespace

std::unique_ptr<Invariant> returns_invariant() { return std::make_unique<Returns>(); }

}  // namespace capstan::simulator::chaos
