#include "templates/ephemeral_storage.hpp"

#include <gmock/gmock.h>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const TemplateDisk local_ssd{.type = "SCRATCH", .disk_type = "local-ssd", .interface = "NVME"};

std::optional<std::int64_t> storage_of(const TemplateSources& sources,
                                       const std::string& variables = "os=linux") {
    std::vector<std::string> warnings;
    const auto out = find_ephemeral_storage(sources, env_of(variables), {}, warnings);
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : std::nullopt;
}

TEST(GceEphemeralStorage, IsTheBootDiskWithoutSystemReserves) {
    EXPECT_EQ(storage_of(usual_sources()), 100 * gib - 1'678'795'342 - 4'453'881'086 - 100 * mib);
}

TEST(GceEphemeralStorage, UsesTheImageSizeIfTheDiskHasNone) {
    TemplateSources sources = usual_sources();
    sources.instance_template.disks.front().size_gb.reset();
    sources.image = GceImage{.size_gb = 100};
    EXPECT_EQ(storage_of(sources), storage_of(usual_sources()));
    sources.image.reset();
    std::vector<std::string> warnings;
    EXPECT_EQ(*find_ephemeral_storage(sources, {}, {}, warnings), std::nullopt);
    EXPECT_THAT(warnings, SizeIs(1)) << "the unknown size is reported";
}

TEST(GceEphemeralStorage, IsNeverNegative) {
    TemplateSources sources = usual_sources();
    sources.instance_template.disks.front().size_gb = 2;
    EXPECT_EQ(storage_of(sources), 0);
}

TEST(GceEphemeralStorage, UsesLocalSsdsIfKubeEnvSaysSo) {
    TemplateSources sources = usual_sources();
    sources.instance_template.disks.insert(sources.instance_template.disks.end(), 2, local_ssd);
    EXPECT_EQ(storage_of(sources, "ephemeral_storage_local_ssd_count=2"),
              2 * 375 * gib - std::int64_t{13'725'224} * 1024);
    EXPECT_EQ(storage_of(sources, "ephemeral_storage_local_ssd_count=0"),
              storage_of(usual_sources()));
}

TEST(GceEphemeralStorage, UsesBundledLocalSsds) {
    TemplateSources sources = usual_sources();
    sources.instance_template.machine_type = "z3-highmem-88";
    sources.machine_type->bundled_local_ssds = 12;
    EXPECT_EQ(count_local_ssds(sources.instance_template, sources.machine_type), 12);
    EXPECT_EQ(storage_of(sources, "ephemeral_storage_local_ssd_count=12"),
              12 * 3000 * gib - std::int64_t{52'837'800} * 1024);
}

TEST(GceEphemeralStorage, RejectsMoreLocalSsdsThanExist) {
    std::vector<std::string> warnings;
    const auto refused = find_ephemeral_storage(
        usual_sources(), env_of("ephemeral_storage_local_ssd_count=1"), {}, warnings);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_THAT(refused.error().message, HasSubstr("1 local SSD"));
}

TEST(GceEphemeralStorage, IsUnknownIfTheBootDiskIsBlocked) {
    EXPECT_EQ(storage_of(usual_sources(), "BLOCK_EPH_STORAGE_BOOT_DISK=true"), std::nullopt);
    EXPECT_NE(storage_of(usual_sources(), "BLOCK_EPH_STORAGE_BOOT_DISK=false"), std::nullopt);
}

TEST(GceEphemeralStorage, TreatsAnInvalidSsdCountAsZero) {
    std::vector<std::string> warnings;
    const auto storage = find_ephemeral_storage(
        usual_sources(), env_of("ephemeral_storage_local_ssd_count=two"), {}, warnings);
    EXPECT_EQ(*storage, storage_of(usual_sources()));
    EXPECT_THAT(warnings, SizeIs(1));
}

}  // namespace
}  // namespace capstan::gce
