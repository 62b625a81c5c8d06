// What holds for clouds that make node groups: theory leaves the cloud as it is, what is made
// shows, and only that is deleted, and only when it is empty.
#include <algorithm>
#include <optional>
#include <set>

#include <capstan/autoprovision.hpp>
#include <capstan/from_abi_provisioning.hpp>
#include <capstan/to_abi_provisioning.hpp>

#include "cloud_session.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

struct TheorySink {
    capstan_new_group_response out{sizeof out, 0, this, &answer};
    int answers = 0;
    Result<NodeGroup> group{NodeGroup()};
    Result<NodeTemplate> node{NodeTemplate()};

    static void answer(const capstan_new_group_response* out, const capstan_group* group,
                       const capstan_template* node) noexcept {
        auto& self = *static_cast<TheorySink*>(out->ctx);
        ++self.answers;
        if (group == nullptr || node == nullptr) return;
        self.group = group_from_abi(*group);
        self.node = template_from_abi(*node);
    }
};

/// The companion of a started cloud, called as a host calls it.
class Maker {
public:
    Maker(CloudSession& cloud, const capstan_cloud_autoprovision& table)
        : cloud_(cloud), table_(table) {}

    Result<MachineTypes> machine_types() {
        return cloud_.host().settle(cloud_.host().call<MachineTypes>([&](capstan_op op) {
            return table_.machine_types(table_.self, op,
                                        &asked_by_verify<capstan_machine_types_request>);
        }));
    }
    Result<PlannedGroup> new_group(const GroupPlan& plan) {
        ProvisioningAbiArena arena;
        const capstan_group_plan raw = arena.to_abi(plan);
        const FakeCall call;
        TheorySink sink;
        const capstan_status status = table_.new_group(table_.self, call.raw(), &raw, &sink.out);
        if (status != CAPSTAN_OK) return fail(error_code(status), "new_group rejected the plan");
        if (sink.answers != 1)
            return fail(ErrorCode::internal,
                        "new_group responded " + std::to_string(sink.answers) + " times");
        CAPSTAN_TRY(NodeGroup group, std::move(sink.group));
        CAPSTAN_TRY(NodeTemplate node, std::move(sink.node));
        return PlannedGroup{std::move(group), std::move(node)};
    }
    Result<void> create(const GroupPlan& plan) {
        ProvisioningAbiArena arena;
        const capstan_group_plan raw = arena.to_abi(plan);
        return cloud_.host().settle(cloud_.host().call<void>(
            [&](capstan_op op) { return table_.create(table_.self, op, &raw); }));
    }
    Result<void> destroy(const NodeGroupId& group) {
        return cloud_.host().settle(cloud_.host().call<void>([&](capstan_op op) {
            const capstan_destroy_request request{sizeof request, CAPSTAN_CALL_VERIFY,
                                                  str(group.value())};
            return table_.destroy(table_.self, op, &request);
        }));
    }
    /// NULL: the cloud cannot be read, or has no such group.
    std::optional<NodeGroup> find(const NodeGroupId& id) {
        const Result<CloudView> view = cloud_.refresh();
        if (!view) return std::nullopt;
        const auto at = std::find_if(view->groups.begin(), view->groups.end(),
                                     [&](const NodeGroup& group) { return group.id == id; });
        return at == view->groups.end() ? std::nullopt : std::optional(*at);
    }
    CloudSession& cloud() { return cloud_; }

private:
    CloudSession& cloud_;
    const capstan_cloud_autoprovision& table_;
};

GroupPlan plan_for(const MachineType& type, const MachineOffering& offer, const char* name) {
    return {.name = name,
            .machine_type = type.name,
            .zone = offer.zone,
            .spot = offer.spot,
            .labels = {{"verify.capstan.io/plan", name}}};
}

using MakerCheck = std::function<Outcome(Maker&, const MachineType&, const MachineOffering&)>;

/// A check with the first machine on offer.
Outcome with_maker(const Subject& subject, const MakerCheck& check) {
    return with_cloud(subject, [&](CloudSession& cloud) {
        const auto* const table = cloud.session().instance().find<capstan_cloud_autoprovision>(
            CAPSTAN_INTERFACE_AUTOPROVISION);
        if (!CAPSTAN_HAS(table, capstan_cloud_autoprovision, destroy))
            return not_applicable("the cloud creates no groups");
        Maker maker(cloud, *table);
        const Result<MachineTypes> machines = maker.machine_types();
        if (!machines)
            return not_applicable("machine types cannot be read here: " +
                                  testing::describe(machines.error()));
        for (const MachineType& type : machines->types) {
            if (!type.offerings.empty()) return check(maker, type, type.offerings.front());
        }
        return not_applicable("the cloud offers no machines here");
    });
}

std::vector<std::string> theory_faults(const GroupPlan& plan, const PlannedGroup& theory) {
    std::vector<std::string> faults;
    if (!theory.group.autoprovisioned)
        faults.emplace_back("the planned group is not marked as autoprovisioned");
    if (theory.group.min.value_or(0) != 0) faults.emplace_back("it has a minimum");
    if (theory.group.target.value_or(0) != 0) faults.emplace_back("it has a target");
    if (!has_all(theory.node.labels, plan.labels))
        faults.emplace_back("its nodes do not have all labels of the plan");
    if (theory.node.capacity.empty()) faults.emplace_back("its template has no capacity");
    return faults;
}

std::set<NodeGroupId> groups_of(const CloudView& view) {
    std::set<NodeGroupId> out;
    for (const NodeGroup& group : view.groups) out.insert(group.id);
    return out;
}

/// A plan that no cloud could carry out has to be refused as just that.
void expect_unsupported(Maker& maker, const GroupPlan& plan, const std::string& what,
                        std::vector<std::string>& faults) {
    const Result<PlannedGroup> theory = maker.new_group(plan);
    if (theory) {
        faults.push_back(what + " was accepted");
    } else if (theory.error().code != ErrorCode::unsupported) {
        faults.push_back(what + " is not rejected as unsupported: " + describe(theory.error()));
    }
}

std::vector<std::string> impossible_plan_faults(Maker& maker, const MachineType& type,
                                                const GroupPlan& plan) {
    std::vector<std::string> faults;
    GroupPlan wrong = plan;
    wrong.machine_type = "no-such-machine-7d1f";
    expect_unsupported(maker, wrong, "an unknown machine type", faults);
    if (type.labels.empty()) return faults;
    wrong = plan;
    wrong.labels[type.labels.begin()->first] = type.labels.begin()->second + "-7d1f";
    expect_unsupported(maker, wrong, "a label that conflicts with the machine type", faults);
    return faults;
}

Outcome check_theory(const Subject& subject) {
    return with_maker(subject, [](Maker& maker, const MachineType& type,
                                  const MachineOffering& offer) {
        const Result<CloudView> before = maker.cloud().refresh();
        const GroupPlan plan = plan_for(type, offer, "verify-theory");
        const Result<PlannedGroup> theory = maker.new_group(plan);
        if (!theory)
            return failed("an offered machine type cannot be planned: " + describe(theory.error()));
        std::vector<std::string> faults = theory_faults(plan, *theory);
        const Result<PlannedGroup> again = maker.new_group(plan);
        if (!again || !(*again == *theory))
            faults.emplace_back("the same plan has a different result the second time");
        for (std::string& fault : impossible_plan_faults(maker, type, plan))
            faults.push_back(std::move(fault));
        const Result<CloudView> after = maker.cloud().refresh();
        if (before && after && groups_of(*before) != groups_of(*after))
            faults.emplace_back("planning changed the groups that refresh lists");
        return judged(faults);
    });
}

/// That `result` is an error of this code; `what` was asked for.
void expect_refusal(const Result<void>& result, ErrorCode code, const std::string& what,
                    std::vector<std::string>& faults) {
    if (result) {
        faults.push_back(what + " succeeds");
    } else if (result.error().code != code) {
        faults.push_back(what + " does not fail with " + std::string(name_of(code)) + ": " +
                         describe(result.error()));
    }
}

std::vector<std::string> making_faults(Maker& maker, const GroupPlan& plan, const NodeGroupId& id) {
    const std::optional<NodeGroup> made = maker.find(id);
    if (!made) return {"refresh does not list the created group"};
    std::vector<std::string> faults;
    if (!made->autoprovisioned) faults.emplace_back("the group is not marked as autoprovisioned");
    if (made->target.value_or(0) != 0) faults.emplace_back("the new group has a target above 0");
    if (const Result<void> again = maker.create(plan); !again)
        faults.push_back("creating it again fails: " + describe(again.error()));
    GroupPlan other = plan;
    other.labels["verify.capstan.io/plan"] = "other";
    expect_refusal(maker.create(other), ErrorCode::conflict,
                   "creating a different group with its name", faults);
    if (const Result<void> gone = maker.destroy(id); !gone)
        faults.push_back("deleting the empty group fails: " + describe(gone.error()));
    if (maker.find(id)) faults.emplace_back("refresh lists the deleted group");
    expect_refusal(maker.destroy(id), ErrorCode::not_found, "deleting it again", faults);
    return faults;
}

Outcome check_making(const Subject& subject) {
    return with_maker(
        subject, [](Maker& maker, const MachineType& type, const MachineOffering& offer) {
            const GroupPlan plan = plan_for(type, offer, "verify-making");
            const Result<PlannedGroup> theory = maker.new_group(plan);
            if (!theory) return not_applicable("an offered machine type cannot be planned");
            if (const Result<void> made = maker.create(plan); !made)
                return not_applicable("groups cannot be created here: " + describe(made.error()));
            return judged(making_faults(maker, plan, theory->group.id));
        });
}

Outcome check_deleting(const Subject& subject) {
    return with_maker(subject, [](Maker& maker, const MachineType& type,
                                  const MachineOffering& offer) {
        std::vector<std::string> faults;
        if (const Result<CloudView> view = maker.cloud().refresh()) {
            for (const NodeGroup& group : view->groups) {
                if (group.autoprovisioned) continue;
                const std::string name = "group " + group.id.value() + ", which it did not create,";
                expect_refusal(maker.destroy(group.id), ErrorCode::permission, "deleting " + name,
                               faults);
                if (!maker.find(group.id)) faults.push_back(name + " was deleted");
            }
        }
        const GroupPlan plan = plan_for(type, offer, "verify-deleting");
        const Result<PlannedGroup> theory = maker.new_group(plan);
        if (!theory || !maker.create(plan)) return judged(faults);
        const NodeGroupId& id = theory->group.id;
        const Result<Resized> grown =
            maker.cloud().increase({.group = id, .delta = 1, .idempotency_key = "verify-grow"});
        if (!grown)
            faults.push_back("a created group cannot be scaled up: " + describe(grown.error()));
        if (!grown) return judged(faults);
        expect_refusal(maker.destroy(id), ErrorCode::conflict, "deleting a group with a machine",
                       faults);
        if (!maker.find(id)) faults.emplace_back("a group with a machine was deleted");
        return judged(faults);
    });
}

}  // namespace

void add_autoprovision_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "cloud/autoprovision/theory", check_theory);
    add(checks, subject, "cloud/autoprovision/making", check_making);
    add(checks, subject, "cloud/autoprovision/deleting", check_deleting);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
