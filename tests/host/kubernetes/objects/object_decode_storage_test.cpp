#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using Texts = std::vector<std::string>;

TEST(StorageDecode, ReadsAClaim) {
    const auto result = decoded(decode_claim, R"({
        "metadata":{"namespace":"shop","name":"data","annotations":{"volume.kubernetes.io/selected-node":"n1"}},
        "spec":{"volumeName":"pv-1","storageClassName":"fast","accessModes":["ReadWriteOncePod"],
                "volumeMode":"Block","selector":{"matchLabels":{"disk":"fast"},
                    "matchExpressions":[{"key":"rack","operator":"NotIn","values":["7"]}]},
                "resources":{"requests":{"storage":"10Gi"}}}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->ns, "shop");
    EXPECT_EQ(result.value->name, "data");
    EXPECT_EQ(result.value->volume, "pv-1");
    EXPECT_EQ(result.value->storage_class, "fast");
    EXPECT_EQ(result.value->selected_node, "n1");
    EXPECT_EQ(result.value->requested_bytes, std::int64_t{10} << 30);
    EXPECT_EQ(result.value->access_modes, Texts{"ReadWriteOncePod"});
    EXPECT_TRUE(result.value->block);
    EXPECT_EQ(result.value->selector,
              (LabelSelector{.match_labels = {{"disk", "fast"}},
                             .match_expressions = {
                                 {.key = "rack", .op = Operator::not_in, .values = {"7"}}}}));
}

TEST(StorageDecode, PrefersTheBetaAnnotationForTheClass) {
    const auto result = decoded(decode_claim, R"({
        "metadata":{"name":"c","annotations":{"volume.beta.kubernetes.io/storage-class":"old"}},
        "spec":{"storageClassName":"new"}})");
    EXPECT_EQ(result.value->storage_class, "old");
}

TEST(StorageDecode, ReadsAVolume) {
    const auto result = decoded(decode_volume, R"({
        "metadata":{"name":"pv-1","labels":{"topology.kubernetes.io/zone":"a"}},
        "spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"capacity":{"storage":"10Gi"},
                "csi":{"driver":"ebs.csi.aws.com","volumeHandle":"vol-1","fsType":"ext4"},
                "claimRef":{"namespace":"shop","name":"data","uid":"u"},
                "nodeAffinity":{"required":{"nodeSelectorTerms":[
                    {"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->name, "pv-1");
    EXPECT_EQ(result.value->node_affinity,
              (std::vector<NodeSelectorTerm>{{.labels = {{.key = "zone", .values = {"a"}}}}}));
    EXPECT_EQ(result.value->labels, (Labels{{"topology.kubernetes.io/zone", "a"}}));
    EXPECT_EQ(result.value->storage_class, "fast");
    EXPECT_EQ(result.value->driver, "ebs.csi.aws.com");
    EXPECT_EQ(result.value->handle, "vol-1");
    EXPECT_EQ(result.value->capacity_bytes, std::int64_t{10} << 30);
    EXPECT_EQ(result.value->access_modes, Texts{"ReadWriteOnce"});
    EXPECT_EQ(result.value->claim_ns + "/" + result.value->claim_name, "shop/data");
    EXPECT_FALSE(result.value->in_tree);
}

TEST(StorageDecode, ReadsInTreeVolumesAsThoseOfTheirDriver) {
    const auto volume = decoded(decode_volume, R"({"metadata":{"name":"pv-1"},
        "spec":{"awsElasticBlockStore":{"volumeID":"aws://eu-1a/vol-1","fsType":"ext4"}}})");
    ASSERT_TRUE(volume.value);
    EXPECT_EQ(volume.value->driver, "ebs.csi.aws.com");
    EXPECT_EQ(volume.value->handle, "vol-1");
    EXPECT_TRUE(volume.value->in_tree);
    const auto gp2 = decoded(decode_storage_class, R"({"metadata":{"name":"gp2"},
        "provisioner":"kubernetes.io/aws-ebs"})");
    EXPECT_EQ(gp2.value->provisioner, "kubernetes.io/aws-ebs");
    EXPECT_EQ(gp2.value->migrated_to, "ebs.csi.aws.com");
    const auto node = decoded(decode_csi_node, R"({"metadata":{"name":"n1","annotations":{
        "storage.alpha.kubernetes.io/migrated-plugins":"kubernetes.io/aws-ebs,kubernetes.io/azure-file,kubernetes.io/gce-pd"}}})");
    EXPECT_EQ(node.value->migrated,
              (std::set<std::string>{"ebs.csi.aws.com", "pd.csi.storage.gke.io"}));
}

TEST(StorageDecode, ReadsTheVolumeMode) {
    const auto is_block = [](const std::string& spec) {
        const std::string text = R"({"metadata":{"name":"v"},"spec":{)" + spec + "}}";
        const auto volume = decoded(decode_volume, text);
        const auto claim = decoded(decode_claim, text);
        EXPECT_EQ(volume.value.has_value(), claim.value.has_value());
        if (volume.value && claim.value) {
            EXPECT_EQ(volume.value->block, claim.value->block);
        }
        return volume.value ? std::optional(volume.value->block) : std::nullopt;
    };
    EXPECT_EQ(is_block(R"("volumeMode":"Block")"), true);
    EXPECT_EQ(is_block(R"("volumeMode":"Filesystem")"), false);
    EXPECT_EQ(is_block(""), false);
    EXPECT_EQ(is_block(R"("volumeMode":"Tape")"), std::nullopt);
}

TEST(StorageDecode, ReadsAStorageClass) {
    const auto result = decoded(decode_storage_class, R"({
        "metadata":{"name":"fast"},"provisioner":"ebs.csi.aws.com","volumeBindingMode":"WaitForFirstConsumer",
        "allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->name, "fast");
    EXPECT_EQ(result.value->provisioner, "ebs.csi.aws.com");
    EXPECT_TRUE(result.value->waits_for_consumer);
    EXPECT_EQ(result.value->allowed_topologies,
              (std::vector<NodeSelectorTerm>{{.labels = {{.key = "zone", .values = {"a", "b"}}}}}));
    EXPECT_FALSE(
        decoded(decode_storage_class, R"({"metadata":{"name":"s"}})").value->waits_for_consumer);
}

TEST(StorageDecode, ReadsVolumeLimitsOfCsiDrivers) {
    const auto result = decoded(decode_csi_node, R"({"metadata":{"name":"n1"},"spec":{"drivers":[
        {"name":"a","allocatable":{"count":25}},{"name":"b"},{"name":"c","allocatable":{"count":0}}]}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->limits, (std::map<std::string, std::optional<int>>{
                                        {"a", 25}, {"b", std::nullopt}, {"c", 0}}));
}

TEST(StorageDecode, ReadsCsiDriversAndCapacities) {
    EXPECT_TRUE(
        decoded(decode_csi_driver, R"({"metadata":{"name":"d"},"spec":{"storageCapacity":true}})")
            .value->storage_capacity);
    EXPECT_FALSE(
        decoded(decode_csi_driver, R"({"metadata":{"name":"d"}})").value->storage_capacity);
    const auto result = decoded(decode_csi_capacity, R"({
        "metadata":{"namespace":"s","name":"c"},"storageClassName":"fast","capacity":"1Ti",
        "nodeTopology":{"matchLabels":{"zone":"a"}}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->ns + "/" + result.value->name, "s/c");
    EXPECT_EQ(result.value->storage_class, "fast");
    EXPECT_EQ(result.value->topology, (LabelSelector{{{"zone", "a"}}, {}}));
    EXPECT_EQ(result.value->capacity_bytes, std::int64_t{1} << 40);
    EXPECT_FALSE(decoded(decode_csi_capacity, R"({"metadata":{"name":"c"}})").value->topology);
}

TEST(StorageDecode, RejectsMalformedObjects) {
    const struct {
        bool (*is_read)(const JsonCursor&);
        const char* object;
        const char* problem;
    } cases[] = {
        {[](const JsonCursor& p) { return decode_claim(p).has_value(); },
         R"({"metadata":{"name":"c"},"spec":{"resources":{"requests":{"storage":"-1"}}}})",
         "/spec/resources/requests/storage is negative (-1)"},
        {[](const JsonCursor& p) { return decode_claim(p).has_value(); },
         R"({"metadata":{"name":"c"},"spec":{"accessModes":"ReadWriteOnce"}})",
         "/spec/accessModes expects an array, found text (\"ReadWriteOnce\")"},
        {[](const JsonCursor& p) { return decode_volume(p).has_value(); },
         R"({"metadata":{"name":"v"},"spec":{"nodeAffinity":"here"}})",
         "/spec/nodeAffinity expects an object, found text (\"here\")"},
        {[](const JsonCursor& p) { return decode_storage_class(p).has_value(); },
         R"({"metadata":{"name":"s"},"volumeBindingMode":"Later"})",
         "/volumeBindingMode expects Immediate or WaitForFirstConsumer, found text (\"Later\")"},
        {[](const JsonCursor& p) { return decode_csi_node(p).has_value(); },
         R"({"metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","allocatable":{"count":-1}}]}})",
         "/spec/drivers/0/allocatable/count expects an integer from 0 to 2147483647, found a "
         "number (-1)"},
        {[](const JsonCursor& p) { return decode_csi_driver(p).has_value(); }, R"({"metadata":{}})",
         "/metadata/name is missing"},
        {[](const JsonCursor& p) { return decode_csi_capacity(p).has_value(); },
         R"({"metadata":{"name":"c"},"capacity":true})",
         "/capacity expects a quantity such as \"1500m\" or \"2Gi\", found true"},
    };
    for (const auto& c : cases) {
        const auto result = decoded(c.is_read, c.object);
        EXPECT_FALSE(result.value) << c.object;
        EXPECT_EQ(result.problems, Texts{c.problem}) << c.object;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
