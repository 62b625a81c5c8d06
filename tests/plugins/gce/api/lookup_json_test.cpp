#include <gmock/gmock.h>

#include "api/lookup_json.hpp"
#include "api/machine_types.hpp"
#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Lookups : ScriptedGoogle {
    LookupApi api{client()};
};

TEST(GceMachineTypes, AreReadWithBundledAcceleratorsAndDisks) {
    const auto read = read_machine_type(*parse_json(
        R"({"name":"a2-highgpu-1g","guestCpus":12,"memoryMb":87040,"architecture":"X86_64",
            "accelerators":[{"guestAcceleratorType":"nvidia-tesla-a100","guestAcceleratorCount":1}],
            "bundledLocalSsds":{"partitionCount":4},"deprecated":{"state":"DEPRECATED"}})"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, (GceMachineType{.name = "a2-highgpu-1g",
                                     .vcpus = 12,
                                     .memory_mib = 87040,
                                     .arch = "amd64",
                                     .accelerators = {{"nvidia-tesla-a100", 1}},
                                     .bundled_local_ssds = 4,
                                     .is_deprecated = true}));
}

TEST(GceMachineTypes, AreRejectedWithoutCpusOrMemory) {
    for (const char* none : {"{}", R"({"name":"x"})", R"({"name":"x","guestCpus":2})",
                             R"({"name":"x","guestCpus":"2 or 3","memoryMb":1})"})
        EXPECT_FALSE(read_machine_type(*parse_json(none))) << none;
}

TEST(GceMachineTypes, AreReadPageByPage) {
    Lookups google;
    const std::string call = "GET projects/p/zones/z/machineTypes";
    google.on(call, R"({"items":[{"name":"a","guestCpus":1,"memoryMb":1}],"nextPageToken":"n"})")
        .on(call, R"({"items":[{"name":"b","guestCpus":1,"memoryMb":1,"architecture":"ARM64"}]})");
    const auto listed = google.run(google.api.machine_types("p", "z"));
    ASSERT_TRUE(listed);
    ASSERT_THAT(*listed, SizeIs(2));
    EXPECT_EQ(listed->back().arch, "arm64");
}

TEST(GceImages, AreReadByLinkOrByFamily) {
    Lookups google;
    const std::string image =
        R"({"selfLink":"projects/i/global/images/cos-1","family":"cos","architecture":"ARM64","diskSizeGb":"10",
            "guestOsFeatures":[{"type":"UEFI_COMPATIBLE"}]})";
    google.on("GET projects/i/global/images/cos-1", image)
        .on("GET projects/i/global/images/family/cos", image);
    for (const char* link : {"https://x/compute/v1/projects/i/global/images/cos-1",
                             "projects/i/global/images/family/cos"}) {
        const auto read = google.run(google.api.image(link));
        ASSERT_TRUE(read) << link;
        EXPECT_EQ(read->arch, "arm64");
        EXPECT_EQ(read->size_gb, 10);
        EXPECT_THAT(read->features, ElementsAre("UEFI_COMPATIBLE"));
    }
    EXPECT_EQ(google.run(google.api.image("cos")).error().code, ErrorCode::invalid_argument);
}

TEST(GceZones, AreThoseOfTheRegionByName) {
    Lookups google;
    google.on("GET projects/p/regions/r",
              R"({"zones":["https://x/zones/r-b","https://x/zones/r-a"]})");
    EXPECT_THAT(*google.run(google.api.zones_of("p", "r")), ElementsAre("r-a", "r-b"));
}

TEST(AcceleratorTypes, HaveAMaximumPerMachine) {
    Lookups google;
    google.on("GET projects/p/zones/z/acceleratorTypes",
              R"({"items":[{"name":"nvidia-tesla-t4","maximumCardsPerInstance":4}]})");
    EXPECT_THAT(*google.run(google.api.accelerators("p", "z")),
                ElementsAre(LookupApi::AcceleratorType{"nvidia-tesla-t4", 4}));
}

TEST(PermissionTests, RequestOneHundredPermissionsAtATime) {
    Lookups google;
    const std::string call = "POST projects/p:testIamPermissions";
    google.on(call, R"({"permissions":["compute.a.get"]})").on(call, "{}");
    const auto granted = google.run(
        google.api.test_permissions("p", std::vector<std::string>(101, "compute.a.get")));
    ASSERT_TRUE(granted) << granted.error().message;
    EXPECT_THAT(*granted, ElementsAre("compute.a.get"));
    EXPECT_THAT(google.requests(), SizeIs(2));
    EXPECT_THAT(google.requests()[1].body, HasSubstr(R"({"permissions":["compute.a.get"]})"));
}

}  // namespace
}  // namespace capstan::gce
