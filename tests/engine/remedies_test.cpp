#include "engine/remedies.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/drainability/pods_on_node.hpp"

namespace capstan::engine {
namespace {

using ::testing::IsEmpty;

/// Codes that need no action: they end by themselves, or nothing is wrong.
const std::set<std::string> needing_none{
    "GroupUpcoming", "BeingRepaired",         "NothingGranted", "WouldFit",
    "BeingDeleted",  "CurrentlyBeingDeleted", "NoNodeInfo",
};

std::vector<std::string> all_codes() {
    std::vector<std::string> out;
    for (int code = 1; code <= static_cast<int>(ReasonCode::pod_limit_reached); ++code)
        out.emplace_back(name_of(static_cast<ReasonCode>(code)));
    for (int code = 1; code <= static_cast<int>(Unremovable::unexpected_error); ++code)
        out.emplace_back(name_of(static_cast<Unremovable>(code)));
    std::erase(out, "BlockedByPod");
    for (const drainability::DrainRule& rule : drainability::drain_rules())
        if (rule.sentence.find("block") != std::string_view::npos)
            out.push_back("BlockedByPod/" + std::string(rule.name));
    return out;
}

TEST(Remedies, EveryCodeHasOneOrIsListedAsNeedingNone) {
    std::vector<std::string> lacking, needless;
    for (const std::string& code : all_codes()) {
        const bool has_one = std::ranges::count(remedies(), code, &Remedy::code) == 1;
        if (!has_one && !needing_none.contains(code)) lacking.push_back(code);
        if (has_one && needing_none.contains(code)) needless.push_back(code);
    }
    EXPECT_THAT(lacking, IsEmpty());
    EXPECT_THAT(needless, IsEmpty());
}

TEST(Remedies, NamesGroupsAndSubjects) {
    const std::vector<NodeGroupId> groups{NodeGroupId("od-a"), NodeGroupId("od-b")};
    const struct {
        Reason reason;
        const char* expected;
    } cases[] = {
        {{ReasonCode::max_size_reached}, "raise max of od-a, od-b"},
        {{ReasonCode::limit_reached, {SubjectKind::limit, "cpu"}}, "raise limits.cpu.max"},
        {{ReasonCode::limit_reached, {SubjectKind::limit, "nvidia.com/gpu"}},
         "raise limits.gpu_types.\"nvidia.com/gpu\".max"},
        {{ReasonCode::node_resources_fit, {SubjectKind::resource, "cpu"}},
         "lower the pod's request for cpu, or add a group whose machines have more"},
    };
    for (const auto& each : cases) EXPECT_EQ(remedy_for(each.reason, groups), each.expected);
}

TEST(Remedies, DependOnWhyAControllerCreatesNoPods) {
    const struct {
        const char* failure;
        bool is_short;
        const char* begins;
    } cases[] = {
        {"pods \"api\" is forbidden: exceeded quota: compute", true, "raise the ResourceQuota"},
        {"Job suspended", false, "resume the Job"},
        {"", true, "read the Events of the controller"},
        {"", false, ""},
    };
    for (const auto& each : cases) {
        const std::string remedy = remedy_for_missing_pods(each.failure, each.is_short);
        EXPECT_EQ(remedy.empty(), std::string(each.begins).empty());
        EXPECT_TRUE(remedy.starts_with(each.begins)) << remedy;
    }
}

}  // namespace
}  // namespace capstan::engine
