#include "simulated.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

#include <capstan/testing/fake_call.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>
#include <capstan/to_abi.hpp>

#include "refreshed.hpp"
#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using testing::FakeCall;
using testing::FakeHost;
using testing::run;
using namespace std::chrono_literals;

/// The groups "web" and "db" on a host whose clock does not advance by itself.
struct Cloud {
    explicit Cloud(Duration latency = 0s) {
        Config config =
            configured({web({{"size", 2}, {"max", 5}, {"boot", "1m"}, {"price_per_hour", 0.5}}),
                        {{"id", "db"},
                         {"machine", machine()},
                         {"options", testing::table({{"zero_or_max", true}})}}});
        config.latency = latency;
        cloud = std::make_unique<Simulated>(host.host(), std::move(config));
    }
    Resize resize(int delta, int expected, std::string key = {}) const {
        return {.group = NodeGroupId("web"),
                .delta = delta,
                .expected_target = expected,
                .idempotency_key = std::move(key)};
    }
    int target() { return refreshed(host, *cloud)->groups.at(1).target.value(); }

    FakeHost host;
    std::unique_ptr<Simulated> cloud;
};

/// Machines of the group "web" in this state.
int count(const CloudView& view, MachineState state) {
    return static_cast<int>(std::ranges::count_if(view.machines, [&](const Machine& m) {
        return m.group == NodeGroupId("web") && m.state == state;
    }));
}

TEST(Simulated, SortsItsGroupsById) {
    Cloud c;
    const auto view = refreshed(c.host, *c.cloud);
    ASSERT_TRUE(view) << view.error();
    ASSERT_EQ(view->groups.size(), 2u);
    EXPECT_EQ(view->groups[0].id, NodeGroupId("db"));
    EXPECT_EQ(view->groups[1].id, NodeGroupId("web"));
    EXPECT_TRUE(view->complete);
    ASSERT_EQ(view->machines.size(), 2u);
    EXPECT_EQ(view->machines[0].id, MachineId("simulated://web/1"));
    EXPECT_EQ(view->machines[0].launched, c.host.now() - 1min);
}

TEST(Simulated, ReturnsTheSameViewUntilSomethingChanges) {
    Cloud c;
    const auto read = [&c] { return run(c.host, c.cloud->refresh()).value(); };
    const SharedCloudView first = read();
    c.host.advance(10s);
    EXPECT_EQ(&*read(), &*first);
    ASSERT_TRUE(run(c.host, c.cloud->increase(c.resize(1, 2))));
    const SharedCloudView grown = read();
    EXPECT_EQ(count(*grown, MachineState::creating), 1);
    c.host.advance(1min);
    EXPECT_EQ(count(*read(), MachineState::creating), 0) << "it has booted";
    EXPECT_EQ(count(*first, MachineState::running), 2) << "an earlier view does not change";
}

TEST(Simulated, DelaysACallByItsLatency) {
    Cloud c(5s);
    const Time before = c.host.now();
    ASSERT_TRUE(run(c.host, c.cloud->increase(c.resize(1, 2))));
    EXPECT_EQ(c.host.now(), before + 5s);
    const auto view = refreshed(c.host, *c.cloud);
    EXPECT_EQ(view->machines.at(2).launched, before + 5s);
    EXPECT_EQ(c.host.now(), before + 10s);
}

TEST(Simulated, DoesNotApplyAnAbandonedCall) {
    Cloud c(1min);
    EXPECT_EQ(run(c.host, c.cloud->increase(c.resize(1, 2)), 10s).error().code,
              ErrorCode::deadline);
    EXPECT_EQ(c.target(), 2);
}

TEST(Simulated, AppliesARepeatedRequestOnce) {
    Cloud c;
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(run(c.host, c.cloud->increase(c.resize(1, 2, "k")))->target, 3);
    EXPECT_EQ(c.target(), 3);
    const Removal removal{.group = NodeGroupId("web"),
                          .machines = {MachineId("simulated://web/1")},
                          .idempotency_key = "k"};
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(run(c.host, c.cloud->remove(removal))->failed.empty());
    EXPECT_EQ(c.target(), 2);
}

TEST(Simulated, AppliesARepeatedRequestAfterAFailure) {
    Cloud c;
    EXPECT_EQ(run(c.host, c.cloud->increase(c.resize(1, 7, "k"))).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(run(c.host, c.cloud->increase(c.resize(1, 2, "k")))->target, 3);
}

TEST(Simulated, IncreasesFromTheListedTargetIfAnEarlierIncreaseFailed) {
    Cloud c;
    Resize request = c.resize(1, 3);
    request.listed_target = 2;
    EXPECT_EQ(run(c.host, c.cloud->increase(request))->target, 4);
    EXPECT_EQ(c.target(), 4);
}

TEST(Simulated, RemovesNoMachineForADecreaseOfAFailedIncrease) {
    Cloud c;
    Resize request = c.resize(1, 3);
    request.listed_target = 2;
    EXPECT_EQ(run(c.host, c.cloud->decrease_target(request))->target, 2);
    EXPECT_EQ(c.target(), 2);
    request.delta = 2;
    EXPECT_EQ(run(c.host, c.cloud->decrease_target(request)).error().code, ErrorCode::conflict);
    EXPECT_EQ(count(*refreshed(c.host, *c.cloud), MachineState::running), 2);
}

TEST(Simulated, CancelsNoExistingMachine) {
    Cloud c;
    EXPECT_EQ(run(c.host, c.cloud->decrease_target(c.resize(1, 2))).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(c.target(), 2);
}

TEST(Simulated, NamesTheGroupInErrors) {
    Cloud c;
    EXPECT_EQ(run(c.host, c.cloud->increase(c.resize(9, 2))).error().message,
              "group \"web\": a target of 11 is above its maximum of 5");
    const auto unknown = run(c.host, c.cloud->describe(NodeGroupId("no")));
    EXPECT_EQ(unknown.error(),
              (Error{ErrorCode::not_found, "group \"no\": not found in the simulated cloud"}));
}

TEST(Simulated, DescribesTheTemplateOfAFingerprint) {
    Cloud c;
    const auto node = run(c.host, c.cloud->describe(NodeGroupId("web")));
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->fingerprint, refreshed(c.host, *c.cloud)->groups.at(1).template_fingerprint);
}

TEST(Simulated, ReportsPricesAndOptionsOfItsGroups) {
    Cloud c;
    const auto view = refreshed(c.host, *c.cloud);
    ASSERT_TRUE(view) << view.error();
    const NodeGroup &db = view->groups.at(0), &web = view->groups.at(1);
    EXPECT_EQ(web.price, (Price{.per_hour = 0.5}));
    EXPECT_EQ(web.options, GroupOptions{});
    EXPECT_EQ(db.price, (Price{.per_hour = std::nullopt})) << "the price is unknown";
    EXPECT_EQ(db.options->zero_or_max, true);
}

TEST(Simulated, ListsMachinesAsOfTheLastRefresh) {
    FakeHost host;
    testing::FakeSettings settings = settings_with({web({{"boot", "0s"}})});
    settings.set("refresh_every", "70s");
    Simulated cloud(host.host(), read_config(settings.view()));
    ASSERT_TRUE(refreshed(host, cloud));
    ASSERT_TRUE(run(host, cloud.increase({.group = NodeGroupId("web"), .delta = 1})));
    const auto early = refreshed(host, cloud);
    EXPECT_EQ(early->groups.at(0).target, 1) << "the target does not lag";
    EXPECT_EQ(count(*early, MachineState::running), 0);
    host.advance(70s);
    EXPECT_EQ(count(*refreshed(host, cloud), MachineState::running), 1);
}

TEST(Simulated, KeepsTheMachinesOfRemainingGroupsAfterAReconfiguration) {
    FakeHost host;
    Simulated cloud(host.host(),
                    configured({web({{"size", 2}}), {{"id", "db"}, {"machine", machine()}}}));
    cloud.reconfigure(configured(
        {web({{"max", 1},
              {"changes", testing::Value::List{testing::table({{"at", "0s"}, {"lose", 1}})}}})}));
    const auto view = refreshed(host, cloud);
    ASSERT_EQ(view->groups.size(), 1u);
    EXPECT_EQ(view->groups[0].max, 1);
    EXPECT_EQ(view->groups[0].target, 2);
    EXPECT_EQ(view->machines.at(1).id, MachineId("simulated://web/3"))
        << "one machine was lost once";
}

}  // namespace
}  // namespace capstan::simulated
