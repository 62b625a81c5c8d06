// Checks of the conformance suite for clouds that create groups.
#include <map>
#include <string>

#include <capstan/plugin.hpp>
#include <capstan/testing/builders.hpp>

#include "verdicts.hpp"

namespace {

using capstan::Call;
using capstan::CloudView;
using capstan::ErrorCode;
using capstan::Failure;
using capstan::GroupPlan;
using capstan::MachineTypes;
using capstan::NodeGroup;
using capstan::NodeGroupId;
using capstan::NodeTemplate;
using capstan::PlannedGroup;
using capstan::Removal;
using capstan::Removed;
using capstan::Resize;
using capstan::Resized;
using capstan::Result;
using capstan::Task;
using capstan::testing::failures;
using capstan::testing::failures_of;
using capstan::testing::not_applicable_checks;
using capstan::testing::results_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// The rule that the cloud breaks.
enum class Fault {
    none,
    plan_creates_group,
    plan_has_target,
    plans_any_type,
    plans_any_label,
    forgets_labels,
    hides_created_group,
    refuses_existing_group,
    adopts_other_group,
    deletes_full,
    deletes_others,
    deletes_silently,
};

struct CreatedGroup {
    GroupPlan plan{};
    int target = 0;
};

/// The group "own" and created groups; machines of one type in one zone.
template <Fault fault>
class AutoprovisioningCloud {
public:
    Result<CloudView> refresh() {
        CloudView view;
        if (!own_is_deleted_)
            view.groups.push_back(capstan::testing::group("own", {.target = 0, .max = 5}));
        for (const auto& [name, made] : made_)
            if (fault != Fault::hides_created_group) view.groups.push_back(listed(name, made));
        return view;
    }
    Result<Resized> increase(Resize request) {
        if (request.group.value() == "own")
            return capstan::fail(ErrorCode::invalid_argument, "it cannot grow");
        CreatedGroup& made = at(request.group.value());
        made.target += request.delta;
        return Resized{made.target};
    }
    Result<Resized> decrease_target(Resize) {
        return capstan::fail(ErrorCode::not_found, "no group");
    }
    Result<Removed> remove(Removal) { return capstan::fail(ErrorCode::not_found, "no group"); }
    Result<NodeTemplate> describe(NodeGroupId group) {
        return capstan::testing::node_template(group.value());
    }
    Result<MachineTypes> machine_types() {
        MachineTypes out;
        out.types.push_back({.name = "m",
                             .labels = {{"kubernetes.io/arch", "amd64"}},
                             .capacity = {{"cpu", 4000}},
                             .allocatable = {{"cpu", 4000}},
                             .offerings = {{.zone = "a"}}});
        return out;
    }
    Result<PlannedGroup> new_group(const Call&, const GroupPlan& plan) const {
        const bool is_type = plan.machine_type == "m" || fault == Fault::plans_any_type;
        const bool is_label =
            !plan.labels.contains("kubernetes.io/arch") || fault == Fault::plans_any_label;
        if (!is_type || !is_label)
            return capstan::fail(ErrorCode::unsupported, "these do not go together");
        if (fault == Fault::plan_creates_group) made_[plan.name] = {.plan = plan};
        PlannedGroup out{listed(plan.name, {}), capstan::testing::node_template(plan.name)};
        if (fault == Fault::plan_has_target) out.group.target = 1;
        if (fault != Fault::forgets_labels)
            out.node.labels.insert(plan.labels.begin(), plan.labels.end());
        return out;
    }
    Result<void> create(GroupPlan plan) {
        const auto there = made_.find(plan.name);
        if (there != made_.end() && fault != Fault::adopts_other_group &&
            (fault == Fault::refuses_existing_group || !(there->second.plan == plan)))
            return capstan::fail(ErrorCode::conflict, "there is another one");
        made_.try_emplace(plan.name, CreatedGroup{.plan = plan});
        return {};
    }
    Result<void> destroy(NodeGroupId id) {
        if (id.value() == "own") {
            if (fault != Fault::deletes_others)
                return capstan::fail(ErrorCode::permission, "it is not mine");
            own_is_deleted_ = true;
            return {};
        }
        if (fault == Fault::deletes_silently && !made_.contains(id.value())) return {};
        if (at(id.value()).target > 0 && fault != Fault::deletes_full)
            return capstan::fail(ErrorCode::conflict, "it has machines");
        made_.erase(id.value());
        return {};
    }

private:
    static NodeGroup listed(const std::string& name, const CreatedGroup& made) {
        return {.id = NodeGroupId(name), .min = 0, .target = made.target, .autoprovisioned = true};
    }
    CreatedGroup& at(const std::string& name) {
        const auto made = made_.find(name);
        if (made == made_.end()) throw Failure(ErrorCode::not_found, "no group " + name);
        return made->second;
    }

    mutable std::map<std::string, CreatedGroup> made_;
    bool own_is_deleted_ = false;
};

/// The failures of the auto-provisioning checks for a cloud with the fault.
template <Fault fault>
std::vector<std::string> faults_of() {
    std::vector<std::string> out;
    for (const std::string& failure : failures_of<AutoprovisioningCloud<fault>>()) {
        if (failure.starts_with("cloud/autoprovision/")) out.push_back(failure);
    }
    return out;
}

TEST(AutoprovisionChecks, AcceptACorrectCloud) {
    const auto results = results_of(capstan::make_class<AutoprovisioningCloud<Fault::none>>(
        {.id = "making", .doc = "Makes groups in memory."}));
    EXPECT_THAT(failures(results), Not(Contains(StartsWith("cloud/autoprovision/"))));
    EXPECT_THAT(not_applicable_checks(results), Not(Contains(StartsWith("cloud/autoprovision/"))));
}

TEST(AutoprovisionChecks, FindAPlanThatCreatesTheGroup) {
    EXPECT_THAT(faults_of<Fault::plan_creates_group>(),
                Contains(HasSubstr("planning changed the groups that refresh lists")));
}

TEST(AutoprovisionChecks, FindAWrongPlannedGroupAndAnAcceptedInvalidPlan) {
    EXPECT_THAT(faults_of<Fault::plan_has_target>(),
                ElementsAre("cloud/autoprovision/theory: it has a target"));
    EXPECT_THAT(
        faults_of<Fault::forgets_labels>(),
        ElementsAre("cloud/autoprovision/theory: its nodes do not have all labels of the plan"));
    EXPECT_THAT(faults_of<Fault::plans_any_type>(),
                ElementsAre(HasSubstr("an unknown machine type was accepted")));
    EXPECT_THAT(
        faults_of<Fault::plans_any_label>(),
        ElementsAre(HasSubstr("a label that conflicts with the machine type was accepted")));
}

TEST(AutoprovisionChecks, FindACreatedGroupThatIsNotListed) {
    EXPECT_THAT(faults_of<Fault::hides_created_group>(),
                Contains(HasSubstr("refresh does not list the created group")));
}

TEST(AutoprovisionChecks, FindWrongResultsOfCreatingAnExistingGroup) {
    EXPECT_THAT(faults_of<Fault::refuses_existing_group>(),
                ElementsAre(StartsWith("cloud/autoprovision/making: creating it again fails")));
    EXPECT_THAT(
        faults_of<Fault::adopts_other_group>(),
        ElementsAre(
            "cloud/autoprovision/making: creating a different group with its name succeeds"));
}

TEST(AutoprovisionChecks, FindDeletionOfNonEmptyForeignAndMissingGroups) {
    EXPECT_THAT(faults_of<Fault::deletes_full>(),
                ElementsAre(HasSubstr("deleting a group with a machine succeeds")));
    EXPECT_THAT(faults_of<Fault::deletes_others>(),
                ElementsAre(HasSubstr("deleting group own, which it did not create, succeeds")));
    EXPECT_THAT(faults_of<Fault::deletes_silently>(),
                ElementsAre("cloud/autoprovision/making: deleting it again succeeds"));
}

}  // namespace
