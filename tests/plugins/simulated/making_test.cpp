// Groups that the simulated cloud creates for auto-provisioning.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>
#include <capstan/to_abi.hpp>

#include "refreshed.hpp"
#include "simulated.hpp"
#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using testing::FakeCall;
using testing::FakeHost;
using ::testing::HasSubstr;
using testing::run;
using namespace std::chrono_literals;

const NodeGroupId made("nap-m");

GroupPlan plan(Labels labels = {}) {
    return {.name = "nap-m", .machine_type = "m", .zone = "a", .labels = std::move(labels)};
}

/// The group "web", and the machine type "m" in zone "a", on-demand and spot.
struct SimulatedAutoprovisioning : ::testing::Test {
    FakeHost host;
    Members more{};  ///< of the machine type
    bool register_nodes = false;
    std::unique_ptr<Simulated> cloud{};

    Config config() const {
        Members type{
            {"machine", machine({{"type", "m"}, {"labels", testing::table({{"disk", "ssd"}})}})},
            {"zones", testing::list("a")},
            {"spot", true},
            {"price_per_hour", 0.4},
            {"spot_price_per_hour", 0.1}};
        type.insert(type.end(), more.begin(), more.end());
        testing::FakeSettings settings = settings_with({web({{"size", 1}})});
        settings.set("machine_types", testing::Value::List{testing::Value(type)});
        Config out = read_config(settings.view());
        out.register_nodes = register_nodes;
        return out;
    }
    void start() { cloud = std::make_unique<Simulated>(host.host(), config()); }
    Result<void> create(const GroupPlan& wanted) { return run(host, cloud->create(wanted)); }
    Result<void> destroy(const std::string& id) {
        return run(host, cloud->destroy(NodeGroupId(id)));
    }
    Result<Resized> grow(int by) {
        return run(host, cloud->increase({.group = made, .delta = by, .expected_target = 0}));
    }
    std::vector<std::string> groups() {
        std::vector<std::string> out;
        const Result<CloudView> view = refreshed(host, *cloud);
        EXPECT_TRUE(view) << view.error();
        for (const NodeGroup& group : view->groups)
            out.push_back(group.id.value() + (group.autoprovisioned ? "!" : "") + " " +
                          std::to_string(group.target.value_or(-1)));
        return out;
    }
};

TEST_F(SimulatedAutoprovisioning, ListsAGroupFromCreationToDeletion) {
    more = {{"delete_time", "1m"}};
    start();
    EXPECT_THAT(groups(), ElementsAre("web 1"));
    ASSERT_TRUE(create(plan()));
    EXPECT_THAT(groups(), ElementsAre("nap-m! 0", "web 1"));
    ASSERT_TRUE(create(plan())) << "a repetition has no effect";
    ASSERT_TRUE(grow(2));
    EXPECT_THAT(groups(), ElementsAre("nap-m! 2", "web 1"));
    EXPECT_THAT(destroy("nap-m").error().message, HasSubstr("has 2 machines"));
    EXPECT_EQ(destroy("web").error().code, ErrorCode::permission);
    Removal removal{.group = made};
    for (const char* id : {"simulated://nap-m/1", "simulated://nap-m/2"})
        removal.machines.emplace_back(id);
    ASSERT_TRUE(run(host, cloud->remove(removal)));
    EXPECT_EQ(destroy("nap-m").error().code, ErrorCode::conflict) << "they are still being deleted";
    host.advance(1min);
    ASSERT_TRUE(destroy("nap-m"));
    EXPECT_THAT(groups(), ElementsAre("web 1"));
    EXPECT_EQ(destroy("nap-m").error().code, ErrorCode::not_found);
}

TEST_F(SimulatedAutoprovisioning, DoesNotAdoptAnotherGroupOfTheSameName) {
    start();
    GroupPlan like_web = plan();
    like_web.name = "web";
    EXPECT_EQ(create(like_web).error().code, ErrorCode::conflict);
    ASSERT_TRUE(create(plan()));
    EXPECT_EQ(create(plan({{"team", "a"}})).error().code, ErrorCode::conflict);
}

TEST_F(SimulatedAutoprovisioning, RejectsPlansThatNoMachineTypeFits) {
    start();
    const FakeCall call;
    GroupPlan elsewhere = plan(), other = plan();
    elsewhere.zone = "b";
    other.machine_type = "no";
    for (const GroupPlan& wrong : {elsewhere, other, plan({{"disk", "hdd"}})}) {
        EXPECT_EQ(cloud->new_group(call.call(), wrong).error().code, ErrorCode::unsupported);
        EXPECT_EQ(create(wrong).error().code, ErrorCode::unsupported);
    }
    EXPECT_TRUE(cloud->new_group(call.call(), plan({{"disk", "ssd"}})));
    EXPECT_THAT(groups(), ElementsAre("web 1"));
}

TEST_F(SimulatedAutoprovisioning, PlansTheGroupThatIsCreated) {
    start();
    const FakeCall call;
    GroupPlan spot = plan({{"team", "a"}});
    spot.spot = true;
    spot.taints = {{"team", "a", Effect::no_schedule}};
    const auto theory = cloud->new_group(call.call(), spot);
    ASSERT_TRUE(theory);
    EXPECT_EQ(theory->group.min.value_or(0), 0);
    EXPECT_EQ(theory->group.max, std::nullopt);
    EXPECT_EQ(theory->group.price->per_hour, 0.1);
    EXPECT_EQ(theory->group.spot, true);
    ASSERT_TRUE(create(spot));
    EXPECT_EQ(run(host, cloud->describe(made)).value(), theory->node);
    EXPECT_EQ(refreshed(host, *cloud)->groups.at(0), theory->group);
}

TEST_F(SimulatedAutoprovisioning, ReturnsConfiguredErrors) {
    const auto refusal = testing::table({{"code", "quota"}, {"message", "no more"}});
    more = {{"fail_create", refusal}};
    start();
    EXPECT_EQ(create(plan()).error().code, ErrorCode::quota);
    EXPECT_THAT(groups(), ElementsAre("web 1"));
    more = {{"fail_delete", refusal}};
    cloud->reconfigure(config());
    ASSERT_TRUE(create(plan()));
    EXPECT_EQ(destroy("nap-m").error().code, ErrorCode::quota);
    EXPECT_THAT(groups(), ElementsAre("nap-m! 0", "web 1"));
}

TEST_F(SimulatedAutoprovisioning, KeepsCreatedGroupsAfterAReconfiguration) {
    start();
    ASSERT_TRUE(create(plan()));
    ASSERT_TRUE(grow(1));
    cloud->reconfigure(config());
    EXPECT_THAT(groups(), ElementsAre("nap-m! 1", "web 1"));
    Config without = config();
    without.machine_types.clear();
    cloud->reconfigure(without);
    EXPECT_THAT(groups(), ElementsAre("nap-m! 1", "web 1"));
}

TEST_F(SimulatedAutoprovisioning, RestoresCreatedGroupsAfterARestart) {
    register_nodes = true;
    start();
    ASSERT_TRUE(create(plan({{"team", "a"}})));
    ASSERT_TRUE(grow(2));
    start();
    EXPECT_THAT(groups(), ElementsAre("nap-m! 2", "web 1"));
    ASSERT_TRUE(create(plan({{"team", "a"}}))) << "the plan is restored";
    EXPECT_EQ(create(plan()).error().code, ErrorCode::conflict);
}

}  // namespace
}  // namespace capstan::simulated
