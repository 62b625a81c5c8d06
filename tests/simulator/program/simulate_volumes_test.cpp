// `capstan simulate` with dumps of clusters whose nodes attach few volumes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "../../host/commands/dump_objects.hpp"
#include "../../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string csi_node(const std::string& node, int limit, const std::string& migrated_plugins) {
    return R"({"kind":"CSINode","apiVersion":"storage.k8s.io/v1","metadata":{"name":")" + node +
           R"(","annotations":{"storage.alpha.kubernetes.io/migrated-plugins":")" +
           migrated_plugins + R"("}},"spec":{"drivers":[{"name":"ebs.csi.aws.com",
           "nodeID":"i","allocatable":{"count":)" +
           std::to_string(limit) + "}}]}}";
}

std::string pod_with(const std::string& name, const std::string& node, const std::string& volume) {
    const std::string status = node.empty()
                                   ? R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
                       "status":"False","reason":"Unschedulable"}]})"
                                   : R"({"phase":"Running"})";
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":")" + name +
           R"(","creationTimestamp":"2026-01-01T01:00:00Z"},"spec":{"nodeName":")" + node +
           R"(","containers":[{"resources":{"requests":{"cpu":"100m"}}}],
           "volumes":[{"name":"data",)" +
           volume + R"(}]},"status":)" + status + "}";
}

/// The claim "data-N" of class gp2; `volume` is the source of the volume that it is bound to, or
/// empty.
std::string gp2_claim(int n, const std::string& volume) {
    const std::string name = "data-" + std::to_string(n);
    std::string out =
        R"({"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"namespace":"shop",
        "name":")" +
        name + R"("},"spec":{"storageClassName":"gp2","volumeName":")" +
        (volume.empty() ? "" : "pv-" + name) + R"("}})";
    if (!volume.empty())
        out += R"(,{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-)" + name +
               R"("},"spec":{)" + volume + "}}";
    return out;
}

std::string claimed(int n) {
    return R"("persistentVolumeClaim":{"claimName":"data-)" + std::to_string(n) + R"("})";
}

std::string ebs_disk(int n) {
    return R"("awsElasticBlockStore":{"volumeID":"aws://a/vol-)" + std::to_string(n) + R"("})";
}

std::string list_of(const std::string& items) {
    return R"({"kind":"List","apiVersion":"v1","items":[)" + items +
           R"(,{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"gp2"},
           "provisioner":"kubernetes.io/aws-ebs","volumeBindingMode":"WaitForFirstConsumer"}]})";
}

json::object summary_of(const std::string& dump) {
    const CommandResult ran = capstan("simulate --cluster - --until 1h -o json", dump);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out).at("summary").as_object();
}

TEST(SimulateVolumes, AddsANodeForMigratedVolumesThatCannotBeAttached) {
    // Each pod names one of the volumes in another way.
    const std::string volumes =
        gp2_claim(1, ebs_disk(1)) + "," + gp2_claim(2, ebs_disk(2)) + "," + gp2_claim(3, "") + ",";
    const auto dump = [&](const std::string& plugins, const std::string& pending) {
        return list_of(ready_node("n1") + "," + csi_node("n1", 2, plugins) + "," + volumes +
                       pod_with("web-1", "n1", claimed(1)) + "," +
                       pod_with("web-2", "n1", ebs_disk(4)) + "," + pod_with("web-3", "", pending));
    };
    for (const std::string& pending : {claimed(2), claimed(3), ebs_disk(5)}) {
        EXPECT_EQ(summary_of(dump("kubernetes.io/aws-ebs", pending)).at("nodes").at("end"), 2)
            << pending;
        EXPECT_EQ(summary_of(dump("kubernetes.io/gce-pd", pending)).at("nodes").at("end"), 1)
            << "not migrated: " << pending;
    }
    EXPECT_EQ(summary_of(dump("kubernetes.io/aws-ebs", ebs_disk(4))).at("nodes").at("end"), 1)
        << "attached already";
    const CommandResult explained =
        capstan("explain pod shop/web-3 --cluster -", dump("kubernetes.io/aws-ebs", claimed(2)));
    EXPECT_THAT(explained.out, HasSubstr("1 planned on new nodes")) << explained.err;
}

TEST(SimulateVolumes, AttachesNoMoreToNewNodesThanToTheOthers) {
    std::string items = ready_node("n1") + "," + csi_node("n1", 2, "kubernetes.io/aws-ebs");
    for (int n = 1; n <= 7; ++n)
        items += "," + gp2_claim(n, ebs_disk(n)) + "," +
                 pod_with("web-" + std::to_string(n), n <= 2 ? "n1" : "", claimed(n));
    const json::object summary = summary_of(list_of(items));
    EXPECT_EQ(summary.at("nodes").at("end"), 4);
    EXPECT_TRUE(summary.at("still_pending").as_array().empty()) << json::serialize(summary);
}

}  // namespace
}  // namespace capstan::commands
