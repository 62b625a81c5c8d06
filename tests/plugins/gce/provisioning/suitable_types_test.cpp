// Machine types that are suitable for an instance template.
#include "provisioning/suitable_types.hpp"

#include <gmock/gmock.h>

#include "market_facts.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Accelerators = std::vector<LookupApi::AcceleratorType>;

InstanceTemplate source_of(const std::string& machine_type, const std::string& boot_disk) {
    InstanceTemplate out;
    out.machine_type = machine_type;
    out.disks = {{.is_boot = true, .type = "PERSISTENT", .disk_type = boot_disk}};
    return out;
}

std::string why(const std::string& type, const InstanceTemplate& source,
                const std::string& arch = "amd64", const Accelerators* in_zone = nullptr) {
    return why_unsuitable({.name = type, .vcpus = 4, .memory_mib = 16384}, source, arch, in_zone);
}

TEST(SuitableTypes, RunTheImage) {
    const InstanceTemplate source = source_of("n2-standard-4", "pd-balanced");
    EXPECT_THAT(why("n2-standard-8", source), IsEmpty());
    EXPECT_THAT(why("e2-standard-8", source), IsEmpty());
    EXPECT_EQ(why("t2a-standard-8", source), "runs arm64, the image is for amd64");
    EXPECT_EQ(why("n2-standard-8", source, "arm64"), "runs amd64, the image is for arm64");
    EXPECT_THAT(why("t2a-standard-8", source, "arm64"), IsEmpty());
}

TEST(SuitableTypes, SupportTheBootDisk) {
    struct Case {
        const char *type, *disk;
        bool is_suitable;
    };
    for (const Case& c : {Case{"n2-standard-4", "pd-balanced", true},
                          {"n2-standard-4", "", true},
                          {"n4-standard-4", "pd-balanced", false},
                          {"n4-standard-4", "", false},
                          {"n4-standard-4", "hyperdisk-balanced", true},
                          {"e2-standard-4", "hyperdisk-balanced", false},
                          {"c3-standard-4", "pd-ssd", true},
                          {"c3-standard-4", "hyperdisk-balanced", true}})
        EXPECT_EQ(why(c.type, source_of("n2-standard-4", c.disk)).empty(), c.is_suitable)
            << c.type << " " << c.disk;
}

TEST(SuitableTypes, AreOfTheSameFamilyIfTheTemplateDependsOnIt) {
    InstanceTemplate platform = source_of("n2-standard-4", "pd-balanced"), disks = platform;
    platform.min_cpu_platform = "Intel Ice Lake";
    disks.disks.push_back({.type = "SCRATCH", .disk_type = "local-ssd"});
    for (const InstanceTemplate& source : {platform, disks}) {
        EXPECT_THAT(why("n2-standard-8", source), IsEmpty());
        EXPECT_THAT(why("e2-standard-8", source), HasSubstr("is of another family"));
    }
}

TEST(SuitableTypes, HaveExactlyTheAcceleratorsOfTheTemplate) {
    const GceMachineType a2{.name = "a2-highgpu-2g",
                            .accelerators = {{.type = "nvidia-tesla-a100", .count = 2}}};
    InstanceTemplate source = source_of("n1-standard-4", "pd-balanced");
    EXPECT_EQ(why_unsuitable(a2, source, "amd64", nullptr), "has built-in accelerators");
    source.accelerators = {{.type = "nvidia-tesla-t4", .count = 2}};
    EXPECT_THAT(why_unsuitable(a2, source, "amd64", nullptr), HasSubstr("accelerators other than"));
    EXPECT_THAT(why("n1-standard-8", source), IsEmpty());
    EXPECT_THAT(why("n2-standard-8", source), HasSubstr("does not support nvidia-tesla-t4"));
    source.accelerators = {{.type = "nvidia-tesla-a100", .count = 1}};
    EXPECT_THAT(why_unsuitable(a2, source, "amd64", nullptr), IsEmpty());
    EXPECT_EQ(accelerators_on(a2, source),
              (std::vector<TemplateAccelerator>{{.type = "nvidia-tesla-a100", .count = 2}}))
        << "the bundled accelerators";
}

TEST(SuitableTypes, AreInAZoneWithTheAccelerators) {
    InstanceTemplate source = source_of("n1-standard-4", "pd-balanced");
    source.accelerators = {{.type = "nvidia-tesla-t4", .count = 2}};
    const Accelerators enough{{.name = "nvidia-tesla-t4", .most_per_machine = 4}},
        few{{.name = "nvidia-tesla-t4", .most_per_machine = 1}}, none;
    EXPECT_THAT(why("n1-standard-8", source, "amd64", &enough), IsEmpty());
    EXPECT_FALSE(why("n1-standard-8", source, "amd64", &few).empty());
    EXPECT_FALSE(why("n1-standard-8", source, "amd64", &none).empty());
}

TEST(SuitableTypes, HaveTheArchitectureOfTheImageOrTheMachineFamily) {
    const InstanceTemplate source = source_of("t2a-standard-4", "pd-balanced");
    const GceImage known{.arch = "amd64"}, silent;
    EXPECT_EQ(arch_of_template(source, &known), "amd64");
    EXPECT_EQ(arch_of_template(source, &silent), "arm64");
    EXPECT_EQ(arch_of_template(source, nullptr), "arm64");
}

}  // namespace
}  // namespace capstan::gce
