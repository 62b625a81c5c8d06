#include "templates/storage.hpp"

#include <gtest/gtest.h>

#include "known_types.hpp"

namespace capstan::aws {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

class Storage : public ::testing::Test {
protected:
    std::optional<std::int64_t> find(std::string_view type = "m5.large") const {
        return find_ephemeral_storage(type_named(type),
                                      {.image = image_ ? &*image_ : nullptr,
                                       .launch_template = made_from_ ? &*made_from_ : nullptr,
                                       .nodegroup = group_ ? &*group_ : nullptr,
                                       .family = family_,
                                       .local_disks = local_disks_});
    }

    std::optional<Image> image_{};
    std::optional<LaunchTemplateData> made_from_{};
    std::optional<EksNodegroup> group_{};
    ImageFamily family_ = ImageFamily::unknown;
    LocalDisks local_disks_ = LocalDisks::unused;
};

TEST_F(Storage, IsUnknownWithoutASize) {
    EXPECT_EQ(find(), std::nullopt);
    image_ = Image{.root_device_name = "/dev/xvda",
                   .block_devices = {{.device_name = "/dev/xvda", .snapshot_id = "snap-1"}}};
    made_from_ = LaunchTemplateData{.block_devices = {{.device_name = "/dev/xvda"}}};
    EXPECT_EQ(find(), std::nullopt) << "no size";
    made_from_->block_devices.front().size_gib = 0;
    EXPECT_EQ(find(), std::nullopt);
}

TEST_F(Storage, PrefersTheRootDiskOfTheLaunchTemplateToTheImage) {
    image_ = amazon_linux_2023();
    EXPECT_EQ(find(), 20 * gib);
    made_from_ =
        LaunchTemplateData{.block_devices = {{.device_name = "/dev/sdf", .size_gib = 500}}};
    EXPECT_EQ(find(), 20 * gib) << "a data disk is not the root disk";
    made_from_->block_devices.push_back({.device_name = "/dev/xvda", .size_gib = 100});
    EXPECT_EQ(find(), 100 * gib);
}

TEST_F(Storage, UsesTheDiskWithARootNameIfTheImageIsUnknown) {
    made_from_ =
        LaunchTemplateData{.block_devices = {{.device_name = "/dev/sdf", .size_gib = 500},
                                             {.device_name = "/dev/sda1", .size_gib = 60}}};
    EXPECT_EQ(find(), 60 * gib);
    made_from_->block_devices.pop_back();
    EXPECT_EQ(find(), std::nullopt);
}

TEST_F(Storage, IsTheDataDiskOnBottlerocket) {
    family_ = ImageFamily::bottlerocket;
    image_ = Image{.root_device_name = "/dev/xvda",
                   .block_devices = {{.device_name = "/dev/xvda", .size_gib = 2},
                                     {.device_name = "/dev/xvdb", .size_gib = 20}}};
    EXPECT_EQ(find(), 20 * gib);
    made_from_ =
        LaunchTemplateData{.block_devices = {{.device_name = "/dev/xvda", .size_gib = 4},
                                             {.device_name = "/dev/xvdb", .size_gib = 80}}};
    EXPECT_EQ(find(), 80 * gib);
}

TEST_F(Storage, IsTheDiskOfTheEksNodeGroup) {
    group_ = EksNodegroup{.name = "web"};
    EXPECT_EQ(find(), 20 * gib);
    family_ = ImageFamily::windows;
    EXPECT_EQ(find(), 50 * gib);
    group_->disk_size_gib = 40;
    EXPECT_EQ(find(), 40 * gib);
    made_from_ =
        LaunchTemplateData{.block_devices = {{.device_name = "/dev/xvda", .size_gib = 70}}};
    EXPECT_EQ(find(), 70 * gib);
}

TEST_F(Storage, IsTheJoinedLocalDisksIfThereAreAny) {
    image_ = amazon_linux_2023();
    EXPECT_EQ(find("m5d.large"), 20 * gib) << "not joined";
    local_disks_ = LocalDisks::striped;
    EXPECT_EQ(find("m5d.large"), 69 * gib);
    EXPECT_EQ(find("m5.large"), 20 * gib) << "the type has none";
    local_disks_ = LocalDisks::mirrored;
    EXPECT_EQ(find("m5d.4xlarge"), 279 * gib);
}

}  // namespace
}  // namespace capstan::aws
