#include <gmock/gmock.h>

#include "api/eks.hpp"
#include "api/eks_json.hpp"
#include "api/sts.hpp"
#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EksCalls, ReadANodegroup) {
    ScriptedAws aws;
    aws.file("GET /clusters/prod/node-groups/workers", "nodegroup.json");
    const auto group = aws.run(EksApi(aws.client()).describe_nodegroup("prod", "workers"));
    ASSERT_TRUE(group) << group.error();
    EXPECT_EQ(*group, (EksNodegroup{.name = "workers",
                                    .cluster = "prod",
                                    .ami_type = "AL2023_x86_64_STANDARD",
                                    .capacity_type = "SPOT",
                                    .version = "1.31",
                                    .disk_size_gib = 20,
                                    .labels = {{"team", "web"}, {"empty", ""}},
                                    .tags = {{"env", "prod"}},
                                    .taints = {{"dedicated", "web", "NO_SCHEDULE"},
                                               {"spot", "", "PREFER_NO_SCHEDULE"}}}));
}

TEST(EksCalls, EncodeNamesInThePath) {
    ScriptedAws aws;
    aws.file("GET /clusters/a%2Fb/node-groups/c%20d", "nodegroup.json");
    EXPECT_TRUE(aws.run(EksApi(aws.client()).describe_nodegroup("a/b", "c d")));
}

TEST(EksCalls, ReportANodegroupThatDoesNotExist) {
    ScriptedAws aws;
    aws.on("GET /clusters/prod/node-groups/gone",
           R"({"__type":"ResourceNotFoundException","message":"No node group found"})", 404);
    const auto group = aws.run(EksApi(aws.client()).describe_nodegroup("prod", "gone"));
    ASSERT_FALSE(group);
    EXPECT_EQ(group.error().code, ErrorCode::not_found);
}

EksNodegroup nodegroup_of(const std::string& text) {
    const Result<EksNodegroup> out = read_nodegroup(*parse_json(text));
    if (!out) throw Failure(out.error());
    return *out;
}

TEST(EksJson, AcceptMembersThatAreMissingNullOrOfAnotherType) {
    EXPECT_EQ(nodegroup_of(R"({"nodegroup":{}})"), EksNodegroup());
    EXPECT_EQ(nodegroup_of(R"({"nodegroup":{"labels":null,"taints":null,"tags":7,"diskSize":null,
                                            "amiType":3,"new":{"a":[1]}}})"),
              EksNodegroup());
    EXPECT_FALSE(nodegroup_of(R"({"nodegroup":{"diskSize":-1}})").disk_size_gib);
    EXPECT_FALSE(nodegroup_of(R"({"nodegroup":{"diskSize":99999999999}})").disk_size_gib);
    EXPECT_THAT(
        nodegroup_of(R"({"nodegroup":{"taints":[{"key":"a","effect":"NO_EXECUTE"}]}})").taints,
        ElementsAre(EksTaint{"a", "", "NO_EXECUTE"}));
}

TEST(EksJson, RequireTheEnvelope) {
    for (const char* text : {"{}", "[]", "null", R"({"nodegroup":[]})", R"({"nodegroup":null})"})
        EXPECT_FALSE(read_nodegroup(*parse_json(text))) << text;
}

TEST(StsCalls, ReadTheCallerIdentity) {
    ScriptedAws aws;
    aws.file("GetCallerIdentity", "caller_identity.xml");
    const auto identity = aws.run(StsApi(aws.client()).get_caller_identity());
    ASSERT_TRUE(identity) << identity.error();
    EXPECT_EQ(identity->account, "123456789012");
    EXPECT_THAT(identity->arn, HasSubstr("assumed-role/capstan"));
    EXPECT_THAT(identity->user_id, HasSubstr("AROAEXAMPLE"));
    EXPECT_THAT(aws.parameters(), IsEmpty());
}

TEST(PolicySource, IsTheRoleOfAnAssumedRole) {
    EXPECT_EQ(policy_source_of("arn:aws:sts::123456789012:assumed-role/capstan/i-1"),
              "arn:aws:iam::123456789012:role/capstan");
    EXPECT_EQ(policy_source_of("arn:aws-cn:sts::1:assumed-role/a"), "arn:aws-cn:iam::1:role/a");
    for (const char* same : {"arn:aws:iam::123456789012:user/bob", "arn:aws:iam::1:role/path/name",
                             "", "nonsense", ":assumed-role/:sts::"})
        EXPECT_EQ(policy_source_of(same), same);
}

}  // namespace
}  // namespace capstan::aws
