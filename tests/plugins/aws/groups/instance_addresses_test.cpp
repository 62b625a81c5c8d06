#include "groups/instance_addresses.hpp"

#include <gmock/gmock.h>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct AwsAddresses : ::testing::Test {
    Account account{};

    std::vector<std::string> addresses(const std::string& instance, const Result<CloudView>& view) {
        return machine(*view, id_of(instance)).addresses;
    }
    int calls() const { return account.aws.calls("DescribeInstances"); }
};

TEST_F(AwsAddresses, AreThoseOfThePrivateNetwork) {
    account.add("web", 2);
    ASSERT_TRUE(account.refresh());
    const auto view = account.next();
    EXPECT_THAT(addresses("i-1", view), ElementsAre("10.0.0.1", "ip-1.internal"));
    EXPECT_THAT(addresses("i-2", view), ElementsAre("10.0.0.2", "ip-2.internal"));
}

TEST_F(AwsAddresses, AreRequestedOncePerRunningInstance) {
    account.add("web", 2);
    for (int pass = 0; pass < 20; ++pass) ASSERT_TRUE(account.next());
    EXPECT_EQ(calls(), 1) << "none for an idle group";
    FakeGroup& group = account.add("web", 4);
    group.instances[3].state = "Pending";
    for (int pass = 0; pass < 20; ++pass) ASSERT_TRUE(account.next());
    ASSERT_EQ(calls(), 2);
    const auto requests = account.aws.requests("DescribeInstances").back();
    EXPECT_EQ(requests.at("Filter.1.Value.1"), "i-3");
    EXPECT_FALSE(requests.contains("Filter.1.Value.2")) << "i-4 is not running yet";
    group.instances[3].state = "InService";
    for (int pass = 0; pass < 20; ++pass) ASSERT_TRUE(account.next());
    EXPECT_EQ(calls(), 3);
}

TEST_F(AwsAddresses, AreRequestedForTwoHundredInstancesAtOnce) {
    account.add("web", 450);
    for (int pass = 1; pass <= 5; ++pass) {
        ASSERT_TRUE(account.next());
        EXPECT_EQ(calls(), std::min(pass, 3)) << "one call per pass";
    }
    EXPECT_THAT(addresses("i-450", account.refresh()),
                ElementsAre("10.0.0.450", "ip-450.internal"));
}

TEST_F(AwsAddresses, AreNotRequestedAgainAfterARefusal) {
    account.aws.refuse("DescribeInstances", "UnauthorizedOperation", "not authorized", 1, 403);
    account.add("web", 1);
    for (int pass = 0; pass < 20; ++pass) ASSERT_TRUE(account.next(minutes(1)));
    EXPECT_EQ(calls(), 1);
    EXPECT_THAT(addresses("i-1", account.refresh()), IsEmpty());
    int lines = 0;
    for (const auto& line : account.host.log_lines())
        lines += line.message.find("cannot be matched by address") != std::string::npos ? 1 : 0;
    EXPECT_EQ(lines, 1);
}

TEST_F(AwsAddresses, AreRequestedAgainIfEc2FailsAndDoNotFailTheRefresh) {
    account.aws.refuse("DescribeInstances", "InternalError", "internal error", 50, 500);
    account.add("web", 1);
    ASSERT_TRUE(account.refresh());
    account.host.advance(minutes(5));
    account.aws.forget_refusals();
    account.aws.forget_calls();
    ASSERT_TRUE(account.next());
    EXPECT_EQ(calls(), 1);
    EXPECT_THAT(addresses("i-1", account.next()), ElementsAre("10.0.0.1", "ip-1.internal"));
}

TEST_F(AwsAddresses, AreRequestedThreeTimesForAMissingInstance) {
    account.add("web", 1);
    account.aws.hidden = {"i-1"};
    for (int pass = 0; pass < 10; ++pass) ASSERT_TRUE(account.next());
    EXPECT_EQ(calls(), 3);
}

TEST_F(AwsAddresses, DoNotDelayARefresh) {
    account.add("web", 1);
    account.aws.hangs = "DescribeInstances";
    const Duration began = account.host.monotonic();
    ASSERT_TRUE(account.refresh());
    EXPECT_EQ(account.host.monotonic(), began);
    ASSERT_TRUE(account.refresh());
    EXPECT_EQ(calls(), 1) << "one call at a time";
}

}  // namespace
}  // namespace capstan::aws
