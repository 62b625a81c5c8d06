#include "api/instance_template.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* whole = R"({"id":"77","name":"t1",
    "selfLink":"https://www.googleapis.com/compute/v1/projects/shop/global/instanceTemplates/t1",
    "properties":{"machineType":"n2-standard-4","labels":{"a":"b"},"minCpuPlatform":"Intel Ice Lake",
    "disks":[{"boot":true,"type":"PERSISTENT","initializeParams":{"diskSizeGb":"100","diskType":"x/diskTypes/pd-ssd",
    "sourceImage":"projects/i/global/images/family/f"}},{"type":"SCRATCH","interface":"NVME","initializeParams":{"diskType":"local-ssd"}}],
    "guestAccelerators":[{"acceleratorType":"x/acceleratorTypes/nvidia-tesla-t4","acceleratorCount":2}],
    "metadata":{"items":[{"key":"kube-env","value":"A: b"}]},
    "scheduling":{"provisioningModel":"SPOT","instanceTerminationAction":"STOP","maxRunDuration":{"seconds":"3600"}},
    "reservationAffinity":{"consumeReservationType":"NO_RESERVATION"},
    "serviceAccounts":[{"email":"e","scopes":["s"]}],"networkInterfaces":[{"subnetwork":"sub"}],
    "advancedMachineFeatures":{"threadsPerCore":1}}})";

TEST(InstanceTemplates, AreReadWithAllNeededFields) {
    const auto read = read_instance_template(*parse_json(whole));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->link, (ResourceLink{"shop", {}, "instanceTemplates", "t1"}));
    EXPECT_EQ(read->id, "77");
    EXPECT_EQ(read->machine_type, "n2-standard-4");
    const TemplateDisk boot{.is_boot = true,
                            .type = "PERSISTENT",
                            .disk_type = "pd-ssd",
                            .image = "projects/i/global/images/family/f",
                            .size_gb = 100};
    const TemplateDisk scratch{.type = "SCRATCH", .disk_type = "local-ssd", .interface = "NVME"};
    EXPECT_THAT(read->disks, ElementsAre(boot, scratch));
    EXPECT_THAT(read->accelerators, ElementsAre(TemplateAccelerator{"nvidia-tesla-t4", 2}));
    EXPECT_EQ(read->metadata, (Labels{{"kube-env", "A: b"}}));
    EXPECT_TRUE(read->is_spot);
    EXPECT_EQ(read->termination_action, "STOP");
    EXPECT_EQ(read->max_run_duration, 1h);
    EXPECT_EQ(read->reservation_affinity, "NO_RESERVATION");
    EXPECT_EQ(read->service_account, "e");
    EXPECT_THAT(read->subnetworks, ElementsAre("sub"));
    EXPECT_EQ(read->threads_per_core, 1);
    EXPECT_EQ(read->properties.text_at({"machineType"}), "n2-standard-4");
}

TEST(InstanceTemplates, AreSpotIfPreemptible) {
    const auto read = read_instance_template(*parse_json(
        R"({"selfLink":"projects/p/regions/r/instanceTemplates/t","properties":{"scheduling":{"preemptible":true}}})"));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->is_spot);
    EXPECT_EQ(read->link.place, (Place{Scope::region, "r"}));
}

TEST(InstanceTemplates, ReportWhyTheyAreInvalid) {
    for (
        const auto& [text, why] :
        {std::pair{"{}", "selfLink is missing"},
         {R"({"selfLink":"projects/p/global/instanceTemplates/t","properties":[]})",
          "properties is not an object"},
         {R"({"selfLink":"projects/p/global/instanceTemplates/t","properties":{"disks":{}}})",
          "disks is not a list"},
         {R"({"selfLink":"projects/p/global/instanceTemplates/t","properties":{"labels":{"a":1}}})",
          "labels is not a map of strings"}})
        EXPECT_THAT(read_instance_template(*parse_json(text)).error().message, HasSubstr(why));
}

TEST(InstanceTemplates, AreRequestedInTheirScope) {
    ScriptedGoogle google;
    InstanceTemplatesApi api(google.host().host(), google.client());
    google.on("GET projects/p/regions/r/instanceTemplates/t", whole)
        .on("POST projects/shop/global/instanceTemplates", operation_response())
        .on("DELETE projects/shop/global/instanceTemplates/t1", operation_response());
    EXPECT_TRUE(google.run(api.get({"p", {Scope::region, "r"}, "instanceTemplates", "t"})));
    const ResourceLink link{"shop", {}, "instanceTemplates", "t1"};
    EXPECT_TRUE(
        google.run(api.insert(link, Json::object({{"machineType", Json("e2-small")}}), "made")));
    EXPECT_EQ(google.requests()[1].body,
              R"({"name":"t1","description":"made","properties":{"machineType":"e2-small"}})");
    EXPECT_TRUE(google.run(api.remove(link)));
    EXPECT_EQ(google.run(api.get(link)).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::gce
