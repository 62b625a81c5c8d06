// Price files, and notices from the queue.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "account.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* prices =
    R"({"region":"eu-central-1","date":"2026-11-01","currency":"USD","prices":{
        "m5.large":{"on_demand":0.1,"spot":{"eu-central-1a":0.03,"eu-central-1b":0.05}}}})";

/// A separate file for each test.
struct File {
    std::string path = (std::filesystem::path(::testing::TempDir()) /
                        (std::string("capstan_aws_") +
                         ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                           .string();
    explicit File(const std::string& text) { write(text); }
    ~File() { std::filesystem::remove(path); }
    void write(const std::string& text) const { std::ofstream(path) << text; }
};

struct Priced : Account {
    File file;
    explicit Priced(const std::string& text = prices) : file(text) {
        config.price_file = file.path;
    }
    /// Purchase options and types are known after the group was described.
    Result<CloudView> described() {
        if (const auto view = refresh(); !view) return view;
        if (const auto node = testing::run(host, cloud().describe(web)); !node)
            return fail(node.error());
        return next();
    }
};

std::string distribution(int base, int percentage) {
    return "<MixedInstancesPolicy><LaunchTemplate><LaunchTemplateSpecification><LaunchTemplateId>"
           "lt-1</LaunchTemplateId></LaunchTemplateSpecification></LaunchTemplate>"
           "<InstancesDistribution><OnDemandBaseCapacity>" +
           std::to_string(base) + "</OnDemandBaseCapacity><OnDemandPercentageAboveBaseCapacity>" +
           std::to_string(percentage) +
           "</OnDemandPercentageAboveBaseCapacity></InstancesDistribution></MixedInstancesPolicy>";
}

TEST(AwsPrices, UseTheOnDemandPriceForAnOnDemandGroup) {
    Priced account;
    account.add("web", 1);
    const auto view = account.described();
    ASSERT_TRUE(view) << view.error();
    ASSERT_TRUE(view->groups[0].price);
    EXPECT_DOUBLE_EQ(*view->groups[0].price->per_hour, 0.1);
    EXPECT_EQ(view->groups[0].spot, false);
    EXPECT_DOUBLE_EQ(*view->machines[0].price_per_hour, 0.1);
}

TEST(AwsPrices, UseTheDearestSpotZoneForAGroupAndTheOwnZoneForAMachine) {
    Priced account;
    FakeGroup& group = account.add("web", 1);
    group.more = distribution(0, 0);
    group.zones = {"eu-central-1a", "eu-central-1b"};
    const auto view = account.described();
    ASSERT_TRUE(view->groups[0].price);
    EXPECT_DOUBLE_EQ(*view->groups[0].price->per_hour, 0.05);
    EXPECT_DOUBLE_EQ(*view->machines[0].price_per_hour, 0.03);
}

TEST(AwsPrices, AverageTheSharesOfOnDemandAndSpot) {
    Priced account;
    account.add("web", 1).more = distribution(0, 50);
    const auto view = account.described();
    EXPECT_DOUBLE_EQ(*view->groups[0].price->per_hour, 0.065);
    EXPECT_EQ(view->machines[0].price_per_hour, std::nullopt)
        << "it is unknown whether the machine is spot";
}

TEST(AwsPrices, AreUnknownForATypeMissingInTheFile) {
    Priced account;
    account.add("web");
    account.aws.launch_templates["lt-1"].type = "c4.xlarge";
    EXPECT_EQ(account.described()->groups[0].price, std::nullopt);
}

TEST(AwsPrices, FailTheStartIfTheFileIsInvalid) {
    Priced account("{");
    account.add("web");
    const auto view = testing::run(account.host, [&]() -> Task<void> {
        account.made = std::make_unique<AwsCloud>(account.host.host(), account.config);
        return account.made->start();
    }());
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(view.error().message, HasSubstr(account.file.path));
}

TEST(AwsPrices, AreReloadedAndKeptIfTheFileBecomesInvalid) {
    Priced account;
    account.add("web");
    ASSERT_TRUE(account.described());
    std::string dearer = prices;
    dearer.replace(dearer.find("0.1,"), 4, "0.2,");
    account.file.write(dearer);
    EXPECT_DOUBLE_EQ(*account.next(minutes(10))->groups[0].price->per_hour, 0.2);
    account.file.write("{");
    EXPECT_DOUBLE_EQ(*account.next(minutes(10))->groups[0].price->per_hour, 0.2);
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("using prices of 2026-11-01")));
}

TEST(AwsPrices, WarnAboutASampleAndAFileOfAnotherRegion) {
    std::string sample = prices;
    sample.replace(1, 0, R"("sample":true,)");
    sample.replace(sample.find("eu-central-1"), 12, "us-east-1");
    Priced account(sample);
    account.add("web");
    ASSERT_TRUE(account.refresh());
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("is a sample")));
    EXPECT_THAT(account.warnings(), Contains(HasSubstr("prices of region \"us-east-1\"")));
}

std::string event_of(const std::string& kind, const std::string& id) {
    return R"({"detail-type":")" + kind +
           R"(","time":"2026-01-01T00:00:00Z","detail":{"instance-id":")" + id + R"("}})";
}

TEST(AwsNotices, MarkAnInterruptedSpotInstanceAndWakeAPass) {
    Account account;
    account.config.event_queue_url = "https://sqs.eu-central-1.amazonaws.com/1/leaving";
    account.add("web", 2);
    ASSERT_TRUE(account.refresh());
    ASSERT_TRUE(account.next());
    account.aws.events = {event_of("EC2 Spot Instance Interruption Warning", "i-1"),
                          event_of("EC2 Instance Rebalance Recommendation", "i-2")};
    const auto view = account.next(minutes(1));
    ASSERT_TRUE(view->machines.at(0).leaves);
    EXPECT_EQ(view->machines[0].leaves->reason, LeaveReason::spot_interruption);
    EXPECT_EQ(view->machines[1].leaves->reason, LeaveReason::rebalance);
    EXPECT_THAT(account.host.take_wakes(), Not(IsEmpty()));
}

}  // namespace
}  // namespace capstan::aws
