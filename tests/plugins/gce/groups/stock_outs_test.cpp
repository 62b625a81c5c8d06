// Zones that are out of stock.
#include <gmock/gmock.h>

#include "groups/stock_outs.hpp"
#include "project.hpp"

namespace capstan::gce {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

const NodeGroupId any("p/us-central1/any");
const std::string any_key = "us-central1/any";

/// A regional group with one failed machine in each of these zones.
struct Exhausted : Project {
    Exhausted(const std::string& shape, const std::vector<std::string>& zones) {
        add_regional("any", shape);
        std::ignore = refresh();
        for (const std::string& zone : zones) fail_in(zone);
    }
    void fail_in(const std::string& zone) {
        FakeMig& group = gce.groups.at(any_key);
        ++group.target;
        group.instances.push_back({.name = "any-" + zone.substr(zone.size() - 1) +
                                           std::to_string(100 + group.instances.size()),
                                   .zone = zone,
                                   .action = "CREATING",
                                   .status = ""});
        gce.exhaust(any_key, zone);
    }
    std::vector<ErrorCode> codes() {
        std::vector<ErrorCode> out;
        const auto view = next();
        for (const Machine& machine : view->machines)
            if (machine.error) out.push_back(machine.error->code);
        return out;
    }
};

const std::vector<std::string> all_zones{"us-central1-a", "us-central1-b", "us-central1-c"};

TEST(GceStockOuts, InOneZoneOfAFlexibleGroupAreConflicts) {
    for (const char* shape : {"BALANCED", "ANY"}) {
        Exhausted project(shape, {"us-central1-a"});
        EXPECT_THAT(project.codes(), ::testing::ElementsAre(ErrorCode::conflict)) << shape;
    }
}

TEST(GceStockOuts, InTheSameZoneRepeatedlyBackOffTheGroup) {
    Exhausted project("ANY", {"us-central1-a"});
    for (int minute = 0; minute < 5; ++minute) {
        EXPECT_THAT(project.codes(), ::testing::Contains(ErrorCode::conflict)) << minute;
        project.host.advance(minutes(1));
    }
    EXPECT_THAT(project.codes(), ::testing::Each(ErrorCode::out_of_capacity))
        << "apparently no other zone has the machine type";
}

TEST(GceStockOuts, InOneZoneOfAnEvenGroupBackItOff) {
    for (const char* shape : {"EVEN", "ANY_SINGLE_ZONE"}) {
        Exhausted project(shape, {"us-central1-a"});
        EXPECT_THAT(project.codes(), ::testing::ElementsAre(ErrorCode::out_of_capacity)) << shape;
    }
}

TEST(GceStockOuts, InAllZonesBackOffTheGroup) {
    Exhausted project("ANY", all_zones);
    EXPECT_THAT(project.codes(), ::testing::Each(ErrorCode::out_of_capacity));
}

TEST(GceStockOuts, AreRememberedForFiveMinutes) {
    Exhausted project("ANY", {"us-central1-a", "us-central1-b"});
    EXPECT_THAT(project.codes(), ::testing::Each(ErrorCode::conflict));
    project.gce.groups.at(any_key).instances.clear();
    project.gce.groups.at(any_key).target = 0;
    project.fail_in("us-central1-c");
    EXPECT_THAT(project.codes(), ::testing::ElementsAre(ErrorCode::out_of_capacity))
        << "the other two were out of stock recently";
    project.host.advance(minutes(5));
    EXPECT_THAT(project.codes(), ::testing::ElementsAre(ErrorCode::conflict));
}

TEST(GceStockOuts, DoNotAffectOtherGroups) {
    Exhausted project("ANY", all_zones);
    ASSERT_TRUE(project.next());
    project.add_regional("big", "ANY");
    FakeMig& group = project.gce.groups.at("us-central1/big");
    group.target = 1;
    group.instances = {
        {.name = "big-0001", .zone = "us-central1-a", .action = "CREATING", .status = ""}};
    project.gce.exhaust("us-central1/big", "us-central1-a");
    const auto view = project.next();
    EXPECT_EQ(machine(*view, id_of("big-0001")).error->code, ErrorCode::conflict);
}

TEST(GceStockOuts, DoNotIncludeOtherFailures) {
    Exhausted project("ANY", {});
    project.fail_in("us-central1-a");
    project.gce.exhaust(any_key, "us-central1-a", "QUOTA_EXCEEDED");
    project.gce.groups.at(any_key).instances[0].message = "Quota 'CPUS' exceeded";
    EXPECT_THAT(project.codes(), ::testing::ElementsAre(ErrorCode::quota));
}

TEST(GceStockOuts, RemoveTheFailedMachineBeforeARetryInTheSamePass) {
    Exhausted project("ANY", {"us-central1-a"});
    const auto view = project.next();
    EXPECT_THAT(view->machines.at(0).error->message, HasSubstr("us-central1-b has not been"));
    const std::string id = view->machines[0].id.value();
    ASSERT_TRUE(project.remove({id}, true, any));
    const auto grown = project.increase(1, 0, "again", any);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(grown->target, 1);
}

TEST(GceStockOuts, TakeTheZoneFromTheInstanceOrTheMessage) {
    const ResourceLink zonal{"p", {Scope::zone, "us-central1-a"}, "instances", "any-1"};
    const std::string words =
        "The zone 'projects/p/zones/us-central1-b' does not have enough resources available";
    EXPECT_EQ(zone_of_failure(zonal, words), "us-central1-a");
    EXPECT_EQ(zone_of_failure({}, words), "us-central1-b");
    EXPECT_EQ(zone_of_failure({}, "in zones/"), "");
    EXPECT_EQ(zone_of_failure({}, "none left"), "");
}

}  // namespace
}  // namespace capstan::gce
