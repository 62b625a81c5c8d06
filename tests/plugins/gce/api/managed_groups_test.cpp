#include "api/managed_groups.hpp"

#include <gmock/gmock.h>

#include "api/managed_groups_json.hpp"
#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

const ResourceLink zonal{"shop", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", "web"};
const ResourceLink regional{"shop", {Scope::region, "us-central1"}, "instanceGroupManagers", "db"};

std::string link_of(const ResourceLink& link) { return compute_root + link.path(); }

std::string group_entry(const ResourceLink& link, const std::string& more = {}) {
    return R"({"id":"9","selfLink":")" + link_of(link) + R"(","baseInstanceName":")" + link.name +
           R"(","instanceTemplate":"t1","targetSize":3)" + more + "}";
}

struct Groups : ScriptedGoogle {
    ManagedGroupsApi api{host().host(), client()};
    Result<ManagedGroups> list() { return run(api.list_all("shop")); }
};
constexpr const char* all_groups = "GET projects/shop/aggregated/instanceGroupManagers";

TEST(ManagedGroups, AreReadWithAllNeededFields) {
    Groups google;
    google.on(
        all_groups,
        R"({"items":{"zones/us-central1-a":{"instanceGroupManagers":[)" +
            group_entry(zonal, R"(,"targetSuspendedSize":1,"currentActions":{"none":2,"creating":1},
        "status":{"isStable":false,"autoscaler":"a","stateful":{"hasStatefulConfig":true}},
        "updatePolicy":{"type":"PROACTIVE","replacementMethod":"SUBSTITUTE"},
        "versions":[{"instanceTemplate":"t1"},{"instanceTemplate":"t2"}])") +
            R"(]},"regions/us-central1":{"instanceGroupManagers":[)" +
            group_entry(regional, R"(,"distributionPolicy":{"targetShape":"ANY","zones":[
        {"zone":"https://x/zones/us-central1-b"},{"zone":"https://x/zones/us-central1-a"}]},
        "instanceFlexibilityPolicy":{"instanceSelections":{"a":{"machineTypes":["n2-standard-4","e2-standard-4"]}}})") +
            R"(]},"zones/us-central1-c":{"warning":{"code":"NO_RESULTS_ON_PAGE"}}}})");
    const auto listed = google.list();
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_THAT(listed->groups, SizeIs(2));
    const ManagedGroup &db = listed->groups[0], &web = listed->groups[1];
    EXPECT_EQ(web.link, zonal);
    EXPECT_EQ(web.target_size, 3);
    EXPECT_EQ(web.target_suspended, 1);
    EXPECT_EQ(web.actions, (std::map<std::string, int>{{"creating", 1}}))
        << "the action \"none\" is omitted";
    EXPECT_FALSE(web.is_stable);
    EXPECT_TRUE(web.is_stateful);
    EXPECT_EQ(web.autoscaler, "a");
    EXPECT_EQ(web.update_type, "PROACTIVE");
    EXPECT_THAT(web.version_templates, ElementsAre("t1", "t2"));
    EXPECT_THAT(web.zones, ElementsAre("us-central1-a"));
    EXPECT_EQ(db.link, regional);
    EXPECT_EQ(db.shape, "ANY");
    EXPECT_THAT(db.zones, ElementsAre("us-central1-a", "us-central1-b"));
    EXPECT_THAT(db.flexible_types, ElementsAre("e2-standard-4", "n2-standard-4"));
    EXPECT_THAT(listed->unreadable, IsEmpty());
}

TEST(ManagedGroups, AreReadPageByPage) {
    Groups google;
    google
        .on(all_groups, R"({"items":{"zones/us-central1-a":{"instanceGroupManagers":[)" +
                            group_entry(zonal) + R"(]}},"nextPageToken":"p2"})")
        .on(all_groups, R"({"items":{"regions/us-central1":{"instanceGroupManagers":[)" +
                            group_entry(regional) + "]}}}");
    EXPECT_THAT(google.list()->groups, SizeIs(2));
    ASSERT_THAT(google.requests(), SizeIs(2));
    EXPECT_EQ(google.requests()[0].query.at("maxResults"), "500");
    EXPECT_EQ(google.requests()[1].query.at("pageToken"), "p2");
}

TEST(ManagedGroups, AreUnreadableInUnreachableLocations) {
    Groups google;
    google.on(
        all_groups,
        R"({"items":{"zones/us-central1-b":{"warning":{"code":"UNREACHABLE","message":"down"}}},
        "unreachables":["projects/shop/regions/us-east1","projects/shop/zones/us-central1-b"]})");
    const auto listed = google.list();
    ASSERT_TRUE(listed);
    ASSERT_THAT(listed->unreadable, SizeIs(2)) << "each once";
    EXPECT_EQ(listed->unreadable[0].place, (Place{Scope::zone, "us-central1-b"}));
    EXPECT_THAT(listed->unreadable[0].error.message, HasSubstr("UNREACHABLE"));
    EXPECT_EQ(listed->unreadable[1].place, (Place{Scope::region, "us-east1"}));
}

TEST(ManagedGroups, AreReadIfOthersCannotBe) {
    Groups google;
    google.on(all_groups, R"({"items":{"zones/us-central1-a":{"instanceGroupManagers":[)" +
                              group_entry(zonal, R"(,"status":7)") + "," + group_entry(regional) +
                              R"(,{"id":"x"}]}}})");
    const auto listed = google.list();
    ASSERT_TRUE(listed);
    EXPECT_THAT(listed->groups, SizeIs(1));
    ASSERT_THAT(listed->broken, SizeIs(2));
    EXPECT_EQ(listed->broken[0].subject, "shop/us-central1-a/web");
    EXPECT_THAT(listed->broken[0].message,
                HasSubstr("instanceGroupManagers[0]: status is not an object"));
    EXPECT_THAT(listed->broken[1].message, HasSubstr("selfLink is missing"));
}

TEST(ManagedGroups, AreRejectedWithInvalidSizes) {
    for (const std::string size : {"-1", "\"many\"", "1.5", "99999999999", "{}"}) {
        const auto json =
            parse_json(R"({"selfLink":")" + link_of(zonal) + R"(","targetSize":)" + size + "}");
        const auto read = read_managed_group(*json);
        ASSERT_FALSE(read) << size;
        EXPECT_THAT(read.error().message, HasSubstr("targetSize"));
    }
    const auto absent =
        read_managed_group(*parse_json(R"({"selfLink":")" + link_of(zonal) + R"("})"));
    EXPECT_EQ(absent->target_size, 0);
}

TEST(ManagedInstances, AreReadWithTheirErrors) {
    Groups google;
    google.on(
        "POST " + zonal.path() + "/listManagedInstances",
        R"({"managedInstances":[{"instance":")" + std::string(compute_root) +
            R"(projects/shop/zones/us-central1-a/instances/web-a","id":"7","currentAction":"CREATING",
        "version":{"instanceTemplate":"t1"},"lastAttempt":{"errors":{"errors":[{"code":"QUOTA_EXCEEDED","message":"m"}]}},
        "propertiesFromFlexibilityPolicy":{"machineType":"x/machineTypes/n2-standard-4"}}]})");
    const auto listed = google.run(google.api.list_instances(zonal));
    ASSERT_TRUE(listed) << listed.error().message;
    const ManagedInstance expected{
        .link = {"shop", {Scope::zone, "us-central1-a"}, "instances", "web-a"},
        .id = "7",
        .action = "CREATING",
        .template_link = "t1",
        .machine_type = "n2-standard-4",
        .faults = {{"QUOTA_EXCEEDED", "m"}}};
    EXPECT_THAT(*listed, ElementsAre(expected));
}

TEST(ManagedInstances, FailTheListIfOneIsUnreadable) {
    Groups google;
    google.on("POST " + zonal.path() + "/listManagedInstances",
              R"({"managedInstances":[{"instance":7}]})");
    const auto listed = google.run(google.api.list_instances(zonal));
    ASSERT_FALSE(listed);
    EXPECT_THAT(listed.error().message,
                HasSubstr("listManagedInstances: managedInstances[0]: instance is not a string"));
}

TEST(ManagedInstances, CanHaveNoNameYet) {
    Groups google;
    google.on("POST " + zonal.path() + "/listManagedInstances",
              R"({"managedInstances":[{"instance":"","currentAction":"CREATING"},
        {"currentAction":"CREATING"},
        {"instance":"https://www.googleapis.com/compute/v1/projects/shop/zones/us-central1-a/instances/"},
        {"instance":"https://www.googleapis.com/compute/v1/projects/shop/zones/us-central1-a/instances/web-a",
         "currentAction":"NONE"}]})");
    const auto listed = google.run(google.api.list_instances(zonal));
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_THAT(*listed, SizeIs(4));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ((*listed)[i].link.name, "");
    EXPECT_EQ((*listed)[3].link.name, "web-a");
}

TEST(ListedInstances, AreListedByZoneWithTheirProvisioningModel) {
    Groups google;
    google.on("GET projects/shop/zones/us-central1-a/instances",
              R"({"items":[{"selfLink":")" + std::string(compute_root) +
                  R"(projects/shop/zones/us-central1-a/instances/web-a","id":"7","status":"RUNNING",
        "machineType":"x/machineTypes/e2-small","creationTimestamp":"2026-11-01T10:00:00.000-07:00",
        "scheduling":{"provisioningModel":"SPOT"}}]})");
    const auto listed = google.run(google.api.list_zone("shop", "us-central1-a"));
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_THAT(*listed, SizeIs(1));
    EXPECT_EQ(listed->front().machine_type, "e2-small");
    EXPECT_TRUE(listed->front().is_spot);
    EXPECT_TRUE(listed->front().created);
    EXPECT_EQ(google.requests()[0].query.at("fields").find("metadata"), std::string::npos)
        << "the metadata of a machine is its whole configuration";
}

TEST(ManagedGroupChanges, RepeatTheirRequestId) {
    Groups google;
    google.on("POST " + zonal.path() + "/createInstances", "", 503)
        .on("POST " + zonal.path() + "/createInstances", operation_response());
    const auto made = google.run(google.api.create_instances(zonal, {"web-a", "web-b"}));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_FALSE(made->is_done);
    ASSERT_THAT(google.requests(), SizeIs(2));
    EXPECT_EQ(google.requests()[1].body, R"({"instances":[{"name":"web-a"},{"name":"web-b"}]})");
    const std::string id = google.requests()[0].query.at("requestId");
    EXPECT_THAT(
        id, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_EQ(google.requests()[1].query.at("requestId"), id);
}

TEST(ManagedGroupChanges, UseTheRegionOfARegionalGroup) {
    Groups google;
    google.on("POST " + regional.path() + "/resize", operation_response())
        .on("POST " + regional.path() + "/deleteInstances", operation_response());
    EXPECT_TRUE(google.run(google.api.resize(regional, 7)));
    EXPECT_EQ(google.requests()[0].query.at("size"), "7");
    EXPECT_TRUE(google.run(google.api.delete_instances(
        regional, {{"shop", {Scope::zone, "us-central1-b"}, "instances", "db-a"}})));
    EXPECT_EQ(google.requests()[1].body,
              R"({"instances":["projects/shop/zones/us-central1-b/instances/db-a"],)"
              R"("skipInstancesOnValidationError":true})");
}

TEST(ManagedGroupChanges, RecreateInstances) {
    Groups google;
    google.on("POST " + zonal.path() + "/recreateInstances", operation_response());
    EXPECT_TRUE(google.run(google.api.recreate_instances(
        zonal, {{"shop", {Scope::zone, "us-central1-a"}, "instances", "web-a"}})));
    EXPECT_EQ(google.requests()[0].body,
              R"({"instances":["projects/shop/zones/us-central1-a/instances/web-a"]})");
}

TEST(ManagedGroupChanges, SendAResizeOnceEvenAfterARefusal) {
    for (const int status : {429, 503}) {
        Groups google;
        google.on("POST " + zonal.path() + "/resize", "", status);
        EXPECT_FALSE(google.run(google.api.resize(zonal, 7)));
        EXPECT_THAT(google.requests(), SizeIs(1)) << status;
    }
}

TEST(ManagedGroupChanges, InsertAndDeleteGroups) {
    Groups google;
    google.on("POST projects/shop/zones/us-central1-a/instanceGroupManagers", operation_response())
        .on("DELETE " + zonal.path(), operation_response());
    EXPECT_TRUE(google.run(google.api.insert({.link = zonal,
                                              .template_link = "global/instanceTemplates/t1",
                                              .base_name = "web",
                                              .named_ports = {{"http", "80"}}})));
    EXPECT_THAT(google.requests()[0].body,
                HasSubstr(R"("namedPorts":[{"name":"http","port":80}])"));
    EXPECT_TRUE(google.run(google.api.remove(zonal)));
    Groups refused;
    EXPECT_EQ(refused.run(refused.api.get(zonal)).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::gce
