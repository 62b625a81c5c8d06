#include "engine/health/shared_backoff.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/requests.hpp"

namespace capstan::engine::health {
namespace {

/// Groups of m5.large in zone a. A machine or an increase of group "web" fails.
class SharedBackoffs : public ::testing::Test {
protected:
    NodeTemplate& group(const std::string& id, int target = 0) {
        test_cluster.group(id, target);
        NodeTemplate& node = test_cluster.describe(id, amounts(4000));
        node.machine_type = "m5.large";
        node.zone = "a";
        return node;
    }
    /// An increase of group web is refused.
    void refuse_web(ErrorCode code, ErrorScope scope) {
        Results results;
        results.increases = {Error{.code = code, .message = "none left", .scope = scope}};
        const Decision decision{
            .increases = {{.group = NodeGroupId("web"), .cloud = PluginInstanceId("cloud")}}};
        memory = remember_sizes(std::move(memory), decision, results, settings, noon);
    }
    /// Adds groups that differ from web in at most one property each.
    void groups_like_web() {
        group("same");
        group("other-type").machine_type = "m5.xlarge";
        group("other-zone").zone = "b";
        group("spot").labels["karpenter.sh/capacity-type"] = "spot";
        group("other-cloud");
        test_cluster.change_group("other-cloud").cloud = PluginInstanceId("west");
        group("mixed").variants = 2;
    }
    std::vector<std::string> backed_off() const {
        std::vector<std::string> out;
        for (const Group& g : *groups)
            if (find_backoff(memory, g, noon) != nullptr) out.push_back(g.group.id.value());
        return out;
    }
    void fail_web(ErrorCode code = ErrorCode::out_of_capacity,
                  ErrorScope scope = ErrorScope::unknown) {
        group("web", 1);
        Machine& machine = test_cluster.machine("web", "i-1", MachineState::requested);
        machine.machine_type = "m5.large";
        machine.zone = "a";
        machine.error = Error{.code = code, .message = "none left", .scope = scope};
    }
    /// The group has failed at noon, and its own back-off has ended.
    void fail_before(const std::string& id) {
        memory.backoffs[NodeGroupId(id)] = {
            .since = noon, .until = noon - 1ns, .length = 1min, .last_failure = noon};
    }
    void pass_at(Time now) {
        const Snapshot snapshot = test_cluster.snapshot();
        groups = snapshot.groups;
        memory = remember(std::move(memory), snapshot, templates::make_membership(snapshot),
                          settings, now);
    }
    const Backoff* backoff_of(const std::string& id, Time now) const {
        for (const Group& g : *groups) {
            if (g.group.id.value() == id) return find_backoff(memory, g, now);
        }
        return nullptr;
    }

    TestCluster test_cluster;
    Settings settings;
    Memory memory;
    std::shared_ptr<const std::vector<Group>> groups;
};

TEST_F(SharedBackoffs, ApplyToGroupsEqualToAnExhaustedOne) {
    fail_web();
    group("same");
    fail_before("same");
    group("other-type").machine_type = "m5.xlarge";
    group("other-zone").zone = "b";
    group("mixed").variants = 2;
    group("spot").labels["karpenter.sh/capacity-type"] = "spot";
    group("several-zones");
    test_cluster.change_group("several-zones").group.zones = {"a", "b"};
    test_cluster.group("unknown", 0);
    pass_at(noon);
    const Backoff* same = backoff_of("same", noon);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(why_backed_off(*same, noon),
              "in backoff after failed scale-up until 15:11:40Z (5m left): group web found no "
              "capacity for m5.large in zone a: none left");
    for (const char* id :
         {"other-type", "other-zone", "mixed", "spot", "several-zones", "unknown"}) {
        fail_before(id);
        EXPECT_EQ(backoff_of(id, noon), nullptr) << id;
    }
    EXPECT_EQ(next_backoff_end(memory, noon), noon + 5min + 1ns);
    pass_at(noon + 5min + 1ns);
    EXPECT_EQ(backoff_of("same", noon + 5min + 1ns), nullptr);
    EXPECT_TRUE(memory.offering_backoffs.empty());
}

TEST_F(SharedBackoffs, DoNotStarveAGroupThatHasNotFailedItself) {
    fail_web();
    group("same");
    pass_at(noon);
    EXPECT_EQ(backoff_of("same", noon), nullptr) << "it may have a reservation";
}

TEST_F(SharedBackoffs, LastAsLongAsTheBackoffOfTheFailedGroup) {
    settings.backoff = BackoffPolicy::until_joined;
    fail_web();
    group("same");
    fail_before("same");
    pass_at(noon);
    pass_at(noon + 2h);
    const Backoff* same = backoff_of("same", noon + 2h);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(why_backed_off(*same, noon + 2h),
              "in backoff after failed scale-up until a machine of group web joins: group web "
              "found no capacity for "
              "m5.large in zone "
              "a: none left");
    test_cluster = TestCluster();
    group("web", 1);
    group("same");
    test_cluster.node("i-1", "web");
    pass_at(noon + 25h);
    EXPECT_EQ(backoff_of("same", noon + 25h), nullptr);
}

TEST_F(SharedBackoffs, DoNotShareOtherErrors) {
    fail_web(ErrorCode::quota);
    group("same");
    pass_at(noon);
    EXPECT_NE(backoff_of("web", noon), nullptr);
    EXPECT_EQ(backoff_of("same", noon), nullptr);
}

TEST_F(SharedBackoffs, CanBeDisabled) {
    settings.backoff_by_machine_type = false;
    memory.offering_backoffs[{.machine_type = "x", .zone = "y"}] = {};
    fail_web();
    group("same");
    pass_at(noon);
    EXPECT_EQ(backoff_of("same", noon), nullptr);
    EXPECT_TRUE(memory.offering_backoffs.empty());
}

struct ScopeCase {
    ErrorScope scope;
    std::vector<std::string> groups;  ///< in addition to web
    const char* why;                  ///< of "same"; empty: not backed off
    const char* own;                  ///< of "web"
};
const ScopeCase scope_cases[] = {
    {ErrorScope::group,
     {},
     "",
     "in backoff after failed scale-up until 15:11:40Z (affects only this group): none left"},
    {ErrorScope::zone,
     {"other-type", "same", "spot"},
     "in backoff after failed scale-up until 15:11:40Z: group web failed with an error that "
     "affects all groups of cloud cloud in "
     "zone "
     "a: none left",
     "in backoff after failed scale-up until 15:11:40Z (affects its zone): none left"},
    {ErrorScope::machine_type,
     {"other-zone", "same"},
     "in backoff after failed scale-up until 15:11:40Z: group web failed with an error that "
     "affects all on-demand groups of cloud "
     "cloud with m5.large: none left",
     "in backoff after failed scale-up until 15:11:40Z (affects its machine type): none left"},
    {ErrorScope::market,
     {"mixed", "other-type", "other-zone", "same"},
     "in backoff after failed scale-up until 15:11:40Z: group web failed with an error that "
     "affects all on-demand groups of cloud "
     "cloud: none left",
     "in backoff after failed scale-up until 15:11:40Z (affects its market): none left"},
    {ErrorScope::account,
     {"mixed", "other-type", "other-zone", "same", "spot"},
     "in backoff after failed scale-up until 15:11:40Z: group web failed with an error that "
     "affects all groups of cloud cloud: "
     "none "
     "left",
     "in backoff after failed scale-up until 15:11:40Z (affects the account): none left"}};

TEST_F(SharedBackoffs, FollowTheErrorScopeOfARefusedIncrease) {
    for (const ScopeCase& c : scope_cases) {
        SCOPED_TRACE(c.own);
        test_cluster = TestCluster();
        memory = Memory();
        group("web", 1);
        groups_like_web();
        refuse_web(ErrorCode::quota, c.scope);
        pass_at(noon);
        std::vector<std::string> expected = c.groups;
        expected.emplace_back("web");
        EXPECT_EQ(backed_off(), expected);
        const Backoff* const same = backoff_of("same", noon);
        EXPECT_EQ(same == nullptr ? "" : reason_of(*same, noon), c.why);
        EXPECT_EQ(reason_of(*backoff_of("web", noon), noon), c.own);
    }
}

TEST_F(SharedBackoffs, FollowTheErrorScopeOfAFailedMachine) {
    for (const ScopeCase& c : scope_cases) {
        SCOPED_TRACE(c.own);
        test_cluster = TestCluster();
        memory = Memory();
        fail_web(ErrorCode::out_of_capacity, c.scope);
        // The group has several machine types; only the machine says which type failed.
        auto several = std::make_shared<NodeTemplate>(*test_cluster.change_group("web").described);
        several->variants = 3;
        test_cluster.change_group("web").described = several;
        groups_like_web();
        pass_at(noon);
        std::vector<std::string> expected = c.groups;
        expected.emplace_back("web");
        EXPECT_EQ(backed_off(), expected);
    }
}

TEST_F(SharedBackoffs, RequireAScopeForARefusedIncrease) {
    group("web", 1);
    groups_like_web();
    refuse_web(ErrorCode::out_of_capacity, ErrorScope::unknown);
    pass_at(noon);
    EXPECT_EQ(backed_off(), std::vector<std::string>{"web"});
}

TEST_F(SharedBackoffs, IgnoreTheScopeOfErrorsThatAreAboutTheGroup) {
    group("web", 1);
    groups_like_web();
    refuse_web(ErrorCode::invalid_config, ErrorScope::account);
    pass_at(noon);
    EXPECT_EQ(backed_off(), std::vector<std::string>{"web"});
    EXPECT_EQ(reason_of(*backoff_of("web", noon), noon),
              "in backoff after failed scale-up until 15:11:40Z: none left");
}

TEST_F(SharedBackoffs, EndWithTheBackoffOfTheFailedGroup) {
    group("web", 1);
    group("same");
    refuse_web(ErrorCode::quota, ErrorScope::account);
    pass_at(noon);
    EXPECT_NE(backoff_of("same", noon + 5min), nullptr);
    pass_at(noon + 5min + 1ns);
    EXPECT_EQ(backoff_of("same", noon + 5min + 1ns), nullptr);
    EXPECT_TRUE(memory.offering_backoffs.empty());
}

}  // namespace
}  // namespace capstan::engine::health
