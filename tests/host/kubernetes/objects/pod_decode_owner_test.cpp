#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using engine::snapshot::PodOwner;

TEST(PodOwners, IncludeTheControllerAndWhetherAnyOwnerIsAJob) {
    const PodOwner no_owner;
    const PodOwner replica_set{
        .kind = "ReplicaSet", .api_group = "apps", .name = "web", .uid = "u"};
    const PodOwner core_controller{.kind = "ReplicationController", .name = "web", .uid = "u"};
    PodOwner job{.kind = "Job", .api_group = "batch", .name = "sum", .uid = "u"};
    job.job_among_owners = true;
    PodOwner with_job = replica_set, uncontrolled;
    with_job.job_among_owners = uncontrolled.job_among_owners = true;
    const PodOwner foreign{.kind = "Job", .api_group = "batch.volcano.sh", .name = "v", .uid = "u"};
    const struct {
        const char* references;
        PodOwner owner;
    } cases[] = {
        {"[]", no_owner},
        {R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u"}])", no_owner},
        {R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u","controller":true}])",
         replica_set},
        {R"([{"apiVersion":"v1","kind":"ReplicationController","name":"web","uid":"u","controller":true}])",
         core_controller},
        {R"([{"apiVersion":"batch/v1","kind":"Job","name":"sum","uid":"u","controller":true}])",
         job},
        {R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u","controller":true},
             {"apiVersion":"batch/v1beta1","kind":"Job","name":"sum"}])",
         with_job},
        {R"([{"apiVersion":"batch/v1","kind":"Job","name":"sum","controller":false}])",
         uncontrolled},
        {R"([{"apiVersion":"batch.volcano.sh/v1","kind":"Job","name":"v","uid":"u","controller":true}])",
         foreign},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_owner, c.references);
        EXPECT_EQ(result.value, c.owner) << c.references;
        EXPECT_TRUE(result.problems.empty()) << c.references;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
