// The identity of Capstan: that of its pod if it has one, otherwise that of its instance.
#include "../clouds/variable.hpp"
#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

using clouds::Variable;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// The identity that listed the groups.
std::string principal_of(const AwsServer& aws) {
    const std::vector<Call> lists = aws.calls("DescribeAutoScalingGroups");
    return lists.empty() ? "" : lists.front().principal;
}

TEST_F(AwsDaemon, AssumesTheRoleOfItsServiceAccount) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}});
    const commands::Folder folder;
    const Variable file("AWS_WEB_IDENTITY_TOKEN_FILE", folder.write("token", "a-web-token"));
    const Variable role("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/capstan-shop");
    const Variable name("AWS_ROLE_SESSION_NAME", "capstan");
    const commands::CommandResult doctor = s.run_command("doctor");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    EXPECT_THAT(s.aws().calls("AssumeRoleWithWebIdentity"), Not(IsEmpty()));
    EXPECT_THAT(principal_of(s.aws()), HasSubstr("assumed-role/capstan-shop/capstan"));
}

TEST_F(AwsDaemon, UsesPodIdentity) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}});
    const commands::Folder folder;
    const Variable url("AWS_CONTAINER_CREDENTIALS_FULL_URI", s.aws().url() + "/v1/credentials");
    const Variable file("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                        folder.write("token", "a-pods-token"));
    const commands::CommandResult doctor = s.run_command("doctor");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    EXPECT_THAT(principal_of(s.aws()), HasSubstr("assumed-role/capstan-shop/eks-shop"));
}

TEST_F(AwsDaemon, ReportsWhyAWebIdentityIsRefused) {
    AwsScenario& s = begin({.groups = {{.name = "web"}}});
    const commands::Folder folder;
    const Variable file("AWS_WEB_IDENTITY_TOKEN_FILE", folder.write("token", "a-strangers-token"));
    const Variable role("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/capstan-shop");
    const commands::CommandResult doctor = s.run_command("doctor");
    EXPECT_NE(doctor.code, 0);
    EXPECT_THAT(doctor.out + doctor.err, HasSubstr("InvalidIdentityToken"));
    EXPECT_THAT(s.aws().calls("DescribeAutoScalingGroups"), IsEmpty())
        << "no fallback to the role of its instance";
}

}  // namespace
}  // namespace capstan::aws
