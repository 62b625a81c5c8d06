#include "provisioning/group_maker.hpp"

#include <gmock/gmock.h>

#include "market_facts.hpp"
#include "provisioning/autoprovisioned_group.hpp"
#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string made_name = name_of_made_group(usual_plan().name, "prod");
const std::string group_path =
    "projects/shop/zones/us-central1-a/instanceGroupManagers/" + made_name;
const std::string template_path = "projects/shop/global/instanceTemplates/" + made_name;
const std::string groups_path = "projects/shop/zones/us-central1-a/instanceGroupManagers";
const std::string templates_path = "projects/shop/global/instanceTemplates";

std::string done() { return operation_response({}, "DONE"); }

std::string template_json(const std::string& name, const std::string& labels) {
    return R"({"id":"1","selfLink":"projects/shop/global/instanceTemplates/)" + name +
           R"(","properties":{"labels":)" + labels + "}}";
}
std::string made_labels() {
    return R"({"capstan-made-for":"prod","capstan-plan":")" + digest_of(usual_plan()) + "\"}";
}
std::string group_json(int target = 0) {
    return R"({"id":"1","selfLink":")" + group_path + R"(","instanceTemplate":")" + template_path +
           R"(","targetSize":)" + std::to_string(target) + "}";
}

/// A project with the configured instance template and no groups.
struct GoogleMaker : ScriptedGoogle {
    explicit GoogleMaker(MakingConfig config = usual_config())
        : operations(host().host(), client()),
          failed(host().host()),
          maker(host().host(), {client(), operations, failed}, std::move(config)) {
        const MarketFacts facts = usual_facts();
        on("GET " + templates_path + "/nodes",
           R"({"id":"5","selfLink":"projects/shop/global/instanceTemplates/nodes","properties":)" +
               to_string(facts.source.properties) + "}");
        on("GET projects/i/global/images/cos-1",
           R"({"selfLink":"projects/i/global/images/cos-1","family":"cos","architecture":"X86_64","diskSizeGb":"10"})");
        for (const char* zone : {"us-central1-a", "us-central1-b"})
            on(std::string("GET projects/shop/zones/") + zone + "/machineTypes",
               R"({"items":[{"name":"n2-standard-4","guestCpus":4,"memoryMb":16384,"architecture":"X86_64"}]})");
    }
    // Waiting coroutines end before the maker does.
    ~GoogleMaker() { std::ignore = host().stop(); }

    Result<void> create() { return run(maker.create(usual_plan())); }
    Result<void> destroy() {
        return run(maker.destroy(NodeGroupId("shop/us-central1-a/" + made_name)));
    }
    /// Only changes, in order: "POST template", "POST group".
    std::vector<std::string> changes() {
        std::vector<std::string> out;
        for (const GoogleRequest& each : requests())
            if (each.method != "GET" && !each.path.ends_with("listManagedInstances"))
                out.push_back(each.method + " " +
                              std::string(each.path.find("instanceTemplates") != std::string::npos
                                              ? "template"
                                              : "group"));
        return out;
    }
    OpenOperations operations;
    FailedChanges failed;
    GroupMaker maker;
};

TEST(GceGroupMaker, CreatesAnInstanceTemplateAndAGroup) {
    GoogleMaker google;
    google.on("POST " + templates_path, done()).on("POST " + groups_path, done());
    const auto made = google.create();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(google.changes(), ElementsAre("POST template", "POST group"));
}

TEST(GceGroupMaker, SucceedsIfTheGroupExists) {
    GoogleMaker google;
    google.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, made_labels()));
    EXPECT_TRUE(google.create());
    EXPECT_THAT(google.changes(), IsEmpty());
}

TEST(GceGroupMaker, KeepsAForeignGroup) {
    GoogleMaker google;
    google.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, "{}"));
    const auto refused = google.create();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(google.changes(), IsEmpty());
}

TEST(GceGroupMaker, CleansUpIfTheGroupIsRefused) {
    GoogleMaker google;
    google.on("POST " + templates_path, done())
        .on("POST " + groups_path,
            R"({"error":{"code":403,"message":"no","errors":[{"reason":"forbidden"}]}})", 403)
        .on("DELETE " + template_path, done());
    const auto refused = google.create();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::permission);
    EXPECT_THAT(google.changes(), ElementsAre("POST template", "POST group", "DELETE template"));
}

TEST(GceGroupMaker, RecreatesALeftoverInstanceTemplate) {
    GoogleMaker google;
    google
        .on("POST " + templates_path,
            R"({"error":{"code":409,"message":"there","errors":[{"reason":"alreadyExists"}]}})",
            409)
        .on("POST " + templates_path, done())
        .on("GET " + template_path, template_json(made_name, made_labels()))
        .on("DELETE " + template_path, done())
        .on("POST " + groups_path, done());
    const auto made = google.create();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(google.changes(),
                ElementsAre("POST template", "DELETE template", "POST template", "POST group"));
}

TEST(GceGroupMaker, KeepsTheInstanceTemplateIfTheOutcomeIsUnknown) {
    GoogleMaker google;
    google.on("POST " + templates_path, done()).on("POST " + groups_path, "", 503);
    const auto open = google.create();
    ASSERT_FALSE(open);
    EXPECT_THAT(google.changes(), Not(Contains("DELETE template")));
}

TEST(GceGroupMaker, CleansUpTheInstanceTemplateOfAGroupThatWasNeverCreated) {
    GoogleMaker google;
    google.on("POST " + templates_path, done())
        .on("POST " + groups_path, "", 503)
        .on("DELETE " + template_path, done());
    ASSERT_FALSE(google.create());
    google.host().advance(std::chrono::minutes(5));
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_THAT(google.changes(), Not(Contains("DELETE template"))) << "Google may list it later";
    google.host().advance(std::chrono::minutes(6));
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_THAT(google.changes().back(), "DELETE template");
}

TEST(GceGroupMaker, KeepsGroupAndInstanceTemplateWhileTheOperationIsRunning) {
    GoogleMaker google;
    google.on("POST " + templates_path, done())
        .on("POST " + groups_path, operation_response())
        .on("GET projects/shop/zones/us-central1-a/operations/op-1", operation_response());
    const auto open = google.create();
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().code, ErrorCode::deadline);
    EXPECT_THAT(open.error().message, HasSubstr("it is still running"));
    EXPECT_THAT(google.changes(), ElementsAre("POST template", "POST group"));
    google.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, made_labels()));
    EXPECT_TRUE(google.create()) << "the group exists now";
    EXPECT_THAT(google.changes(), SizeIs(2));
}

TEST(GceGroupMaker, ReportsALateFailureWithAFailedMachine) {
    GoogleMaker google;
    google.on("POST " + templates_path, done())
        .on("POST " + groups_path, operation_response())
        .on("DELETE " + template_path, done());
    for (int polls = 0; polls < 40; ++polls)
        google.on("GET projects/shop/zones/us-central1-a/operations/op-1", operation_response());
    ASSERT_EQ(google.create().error().code, ErrorCode::deadline);
    google.on("GET projects/shop/zones/us-central1-a/operations/op-1",
              operation_response(
                  R"(,"error":{"errors":[{"code":"QUOTA_EXCEEDED","message":"Quota exceeded."}]})",
                  "DONE"));
    google.host().advance(std::chrono::minutes(5));
    CloudView view;
    google.failed.show_in(view);
    ASSERT_THAT(view.groups, SizeIs(1));
    EXPECT_EQ(view.groups[0].id.value(), "shop/us-central1-a/" + made_name);
    ASSERT_THAT(view.machines, SizeIs(1));
    EXPECT_EQ(view.machines[0].error->code, ErrorCode::quota);
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_EQ(google.changes().back(), "DELETE template") << "a leftover of an earlier attempt";
}

TEST(GceGroupMaker, DoesNotAdoptAGroupThatIsBeingDeleted) {
    GoogleMaker google;
    google.on("GET " + group_path, group_json())
        .on("GET " + group_path, group_json())
        .on("GET " + group_path, R"({"error":{"code":404,"message":"gone"}})", 404)
        .on("GET " + template_path, template_json(made_name, made_labels()))
        .on("POST " + group_path + "/listManagedInstances", "{}")
        .on("DELETE " + group_path, operation_response())
        .on("DELETE " + template_path, done())
        .on("GET projects/shop/zones/us-central1-a/operations/op-1", operation_response());
    EXPECT_EQ(google.destroy().error().code, ErrorCode::deadline);
    EXPECT_EQ(google.create().error().code, ErrorCode::unavailable);
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_THAT(google.changes(), ElementsAre("DELETE group", "DELETE template"))
        << "its instance template is deleted after the group";
}

TEST(GceGroupMaker, RetriesTheDeletionOfAnInstanceTemplate) {
    GoogleMaker google;
    google.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, made_labels()))
        .on("POST " + group_path + "/listManagedInstances", "{}")
        .on("DELETE " + group_path, done())
        .on("DELETE " + template_path,
            R"({"error":{"code":400,"message":"in use","errors":[{"reason":"resourceInUseByAnotherResource"}]}})",
            400)
        .on("DELETE " + template_path, done());
    EXPECT_TRUE(google.destroy()) << "the group is deleted";
    EXPECT_THAT(google.host().log_lines().back().message, HasSubstr("cannot be deleted; retried"));
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_THAT(google.changes(),
                ElementsAre("DELETE group", "DELETE template", "DELETE template"));
}

TEST(GceGroupMaker, UsesTheZonesOfTheSubnetworkRegionByDefault) {
    MakingConfig config = usual_config();
    config.zones.clear();
    GoogleMaker silent(config);
    const auto nowhere = silent.run(silent.maker.machine_types());
    EXPECT_EQ(nowhere.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(nowhere.error().message, HasSubstr("set provisioning.zones"));
    config.region = "us-central1";
    GoogleMaker google(config);
    google.on(
        "GET projects/shop/regions/us-central1",
        R"({"zones":["projects/shop/zones/us-central1-b","projects/shop/zones/us-central1-a"]})");
    const auto offers = google.run(google.maker.machine_types());
    ASSERT_TRUE(offers) << offers.error().message;
    EXPECT_THAT(offers->types.at(0).offerings, SizeIs(4));
}

TEST(GceGroupMaker, DeletesAnEmptyGroupAndItsInstanceTemplate) {
    GoogleMaker google;
    google.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, made_labels()))
        .on("POST " + group_path + "/listManagedInstances", "{}")
        .on("DELETE " + group_path, done())
        .on("DELETE " + template_path, done());
    const auto gone = google.destroy();
    ASSERT_TRUE(gone) << gone.error().message;
    EXPECT_THAT(google.changes(), ElementsAre("DELETE group", "DELETE template"));
}

TEST(GceGroupMaker, DeletesNoForeignGroupAndNoGroupInUse) {
    GoogleMaker strangers;
    strangers.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, "{}"));
    EXPECT_EQ(strangers.destroy().error().code, ErrorCode::permission);
    GoogleMaker wanted;
    wanted.on("GET " + group_path, group_json(1))
        .on("GET " + template_path, template_json(made_name, made_labels()));
    EXPECT_EQ(wanted.destroy().error().code, ErrorCode::conflict);
    GoogleMaker full;
    full.on("GET " + group_path, group_json())
        .on("GET " + template_path, template_json(made_name, made_labels()))
        .on("POST " + group_path + "/listManagedInstances",
            R"({"managedInstances":[{"instance":"projects/shop/zones/us-central1-a/instances/i"}]})");
    EXPECT_EQ(full.destroy().error().code, ErrorCode::conflict);
    for (GoogleMaker* each : {&strangers, &wanted, &full}) EXPECT_THAT(each->changes(), IsEmpty());
    GoogleMaker gone;
    EXPECT_EQ(gone.destroy().error().code, ErrorCode::not_found);
}

TEST(GceGroupMaker, ReadsOffersOnceInTenMinutes) {
    GoogleMaker google;
    EXPECT_EQ(google.maker.new_group(usual_plan()).error().code, ErrorCode::unavailable)
        << "nothing was read yet";
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    const std::size_t requests = google.requests().size();
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_EQ(google.requests().size(), requests);
    EXPECT_TRUE(google.maker.new_group(usual_plan()));
    google.host().advance(std::chrono::minutes(10));
    ASSERT_TRUE(google.run(google.maker.machine_types()));
    EXPECT_GT(google.requests().size(), requests);
}

TEST(GceGroupMaker, RecognizesItsOwnGroups) {
    GoogleMaker google;
    InstanceTemplate made;
    made.labels = {{"capstan-made-for", "prod"}, {"capstan-plan", "x"}};
    EXPECT_TRUE(google.maker.is_made_here(made));
    EXPECT_FALSE(google.maker.is_made_here({}));
    EXPECT_TRUE(google.maker.may_be_made_here(
        {"shop", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", made_name}));
    EXPECT_FALSE(google.maker.may_be_made_here(
        {"shop", {Scope::zone, "us-central1-a"}, "instanceGroupManagers", "web"}));
}

}  // namespace
}  // namespace capstan::gce
