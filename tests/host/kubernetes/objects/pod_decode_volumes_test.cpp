#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

TEST(PodVolumes, AreLocalIfTheNodeHoldsTheData) {
    const struct {
        const char* volumes;
        std::vector<std::string> local;
    } cases[] = {
        {"null", {}},
        {"[]", {}},
        {R"([{"name":"a","emptyDir":{}}])", {"a"}},
        {R"([{"name":"a","emptyDir":{"medium":""}}])", {"a"}},
        {R"([{"name":"a","emptyDir":{"medium":"Memory"}}])", {}},
        {R"([{"name":"a","emptyDir":null}])", {}},
        {R"([{"name":"c","configMap":{}},{"name":"b","hostPath":{"path":"/var"}},
             {"name":"a","emptyDir":{}}])",
         {"a", "b"}},
        {R"([{"name":"a","persistentVolumeClaim":{"claimName":"c"}},{"projected":{}}])", {}},
    };
    for (const auto& c : cases) {
        const auto spec = R"({"volumes":)" + std::string(c.volumes) + "}";
        const auto result =
            decoded([](const JsonCursor& p) { return decode_local_volumes(p["volumes"]); }, spec);
        EXPECT_EQ(result.value, c.local) << c.volumes;
        EXPECT_TRUE(result.problems.empty()) << c.volumes;
    }
}

std::vector<std::string> claims_of_web(const JsonCursor& volumes) {
    return decode_claims(volumes, "web-1");
}

TEST(PodVolumes, NameExistingAndEphemeralClaims) {
    const auto result =
        decoded(claims_of_web, R"([{"name":"a","persistentVolumeClaim":{"claimName":"data"}},
        {"name":"tmp","emptyDir":{}}, {"name":"scratch","ephemeral":{"volumeClaimTemplate":{}}}])");
    EXPECT_EQ(result.value, (std::vector<std::string>{"data", "web-1-scratch"}));
    EXPECT_TRUE(result.problems.empty());
}

TEST(PodVolumes, MayBeInTree) {
    const auto result = decoded(decode_pod_object, R"({"spec":{"volumes":[
        {"name":"a","awsElasticBlockStore":{"volumeID":"vol-1"}},{"name":"b","emptyDir":{}},
        {"name":"c","gcePersistentDisk":{"pdName":"d"}},
        {"name":"d","vsphereVolume":{"volumePath":"p"}}]}})");
    EXPECT_TRUE(result.problems.empty());
    EXPECT_EQ(result.value.pod.spec.in_tree_volumes,
              (std::vector<engine::snapshot::InTreeVolume>{
                  {"ebs.csi.aws.com", "vol-1"},
                  {"pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"}}));
    EXPECT_FALSE(decoded(decode_pod_object, R"({"spec":{"volumes":[{"cinder":{"volumeID":7}}]}})")
                     .value.is_complete);
}

TEST(PodVolumes, ReportMissingClaimNames) {
    const auto result =
        decoded(claims_of_web, R"([{"persistentVolumeClaim":{}},{"ephemeral":{}}])");
    EXPECT_EQ(result.problems,
              (std::vector<std::string>{"/0/persistentVolumeClaim/claimName is missing",
                                        "/1/name is missing"}));
}

}  // namespace
}  // namespace capstan::kubernetes::objects
