#include "kubernetes/objects/in_tree_volumes.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

/// "DRIVER HANDLE"; empty: there is no such volume.
std::string volume_of(const std::string& volume, const Labels& labels = {}) {
    const auto result =
        decoded([&](const JsonCursor& v) { return decode_in_tree_volume(v, labels); }, volume);
    EXPECT_TRUE(result.problems.empty()) << volume;
    return result.value ? result.value->driver + " " + result.value->handle : "";
}

TEST(InTreeVolumes, HaveTheHandlesOfTheirDrivers) {
    const struct {
        const char *volume, *expected;
    } cases[] = {
        {R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})", "ebs.csi.aws.com vol-1"},
        {R"({"awsElasticBlockStore":{"volumeID":"aws://eu-1a/vol-1"}})", "ebs.csi.aws.com vol-1"},
        {R"({"awsElasticBlockStore":{"volumeID":"aws:///vol-1"}})", "ebs.csi.aws.com vol-1"},
        {R"({"awsElasticBlockStore":{"volumeID":"aws://eu-1a/disk"}})", ""},
        {R"({"awsElasticBlockStore":{"volumeID":"aws://vol-1"}})", ""},
        {R"({"azureDisk":{"diskURI":"/disks/d"}})", "disk.csi.azure.com /disks/d"},
        {R"({"azureDisk":{"diskURI":"/disks/d","kind":"managed"}})", "disk.csi.azure.com /disks/d"},
        {R"({"azureDisk":{"diskURI":"http://a/vhds/d","kind":"Shared"}})", ""},
        {R"({"cinder":{"volumeID":"c"}})", "cinder.csi.openstack.org c"},
        {R"({"portworxVolume":{"volumeID":"p"}})", "pxd.portworx.com p"},
        {R"({"azureFile":{"shareName":"s"}})", ""},
        {R"({"nfs":{"server":"s"}})", ""},
    };
    for (const auto& c : cases) EXPECT_EQ(volume_of(c.volume), c.expected) << c.volume;
}

TEST(InTreeVolumes, OfGoogleAreInAZoneOrARegion) {
    const auto place = [](const Labels& labels) {
        return volume_of(R"({"gcePersistentDisk":{"pdName":"d"}})", labels);
    };
    const std::string zone = "topology.kubernetes.io/zone",
                      beta_zone = "failure-domain.beta.kubernetes.io/zone",
                      start = "pd.csi.storage.gke.io projects/UNSPECIFIED/";
    EXPECT_EQ(place({}), start + "zones/UNSPECIFIED/disks/d");
    EXPECT_EQ(place({{zone, "eu-west1-b"}}), start + "zones/eu-west1-b/disks/d");
    EXPECT_EQ(place({{zone, "eu-west1-b"}, {beta_zone, "eu-west1-c"}}),
              start + "zones/eu-west1-c/disks/d");
    EXPECT_EQ(place({{zone, "eu-west1-b__eu-west1-c"}}), start + "regions/eu-west1/disks/d");
    EXPECT_EQ(place({{zone, "eu-west1-b__eu-west2-c"}}), "") << "two regions";
    EXPECT_EQ(place({{zone, "b__c"}}), "") << "not zones of Google";
}

TEST(InTreeVolumes, NeedAnId) {
    const auto result =
        decoded([](const JsonCursor& v) { return decode_in_tree_volume(v); }, R"({"cinder":{}})");
    EXPECT_FALSE(result.value);
    EXPECT_EQ(result.problems, (std::vector<std::string>{"/cinder/volumeID is missing"}));
}

TEST(InTreeVolumes, AreReplacedByDriversOfTheirPlugins) {
    EXPECT_EQ(find_csi_driver("kubernetes.io/gce-pd"), "pd.csi.storage.gke.io");
    EXPECT_EQ(find_csi_driver("kubernetes.io/vsphere-volume"), "");
    EXPECT_EQ(find_csi_driver("ebs.csi.aws.com"), "");
    EXPECT_TRUE(find_migrated_drivers("").empty());
    EXPECT_EQ(find_migrated_drivers("kubernetes.io/cinder,x,kubernetes.io/aws-ebs"),
              (std::set<std::string>{"cinder.csi.openstack.org", "ebs.csi.aws.com"}));
    EXPECT_TRUE(is_migration_name("kubernetes.io/azure-disk"));
    EXPECT_TRUE(is_migration_name("disk.csi.azure.com"));
    EXPECT_FALSE(is_migration_name(""));
    EXPECT_FALSE(is_migration_name("efs.csi.aws.com"));
}

}  // namespace
}  // namespace capstan::kubernetes::objects
