// AWS and Google Cloud in one pipeline: each is the fallback of the other, and limits count both.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include <boost/json/parse.hpp>

#include "../aws/aws_server.hpp"
#include "../clouds/cloud_scenario.hpp"
#include "../gce/gce_server.hpp"

namespace capstan {
namespace {

namespace json = boost::json;
using clouds::ScenarioOptions;
using e2e::becomes;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

/// One pipeline with both clouds.
class TwoCloudScenario : public clouds::CloudScenario {
public:
    TwoCloudScenario(std::shared_ptr<aws::AwsServer> aws, std::shared_ptr<gce::GceServer> gce,
                     std::vector<clouds::Part> parts, const ScenarioOptions& options)
        : CloudScenario(std::move(parts), options), aws_(std::move(aws)), gce_(std::move(gce)) {}

    aws::AwsServer& aws() { return *aws_; }
    gce::GceServer& gce() { return *gce_; }

private:
    std::shared_ptr<aws::AwsServer> aws_;
    std::shared_ptr<gce::GceServer> gce_;
};

/// The setup of both clouds and the options of their pipeline.
struct Two {
    aws::ServerSetup aws{};
    gce::ServerSetup gce{};
    ScenarioOptions of_aws{}, of_gce{};  ///< of their plugins
    ScenarioOptions options{};
};

class TwoClouds : public clouds::CloudDaemonTest {
protected:
    void SetUp() override {
        skip_because(aws::AwsServer::missing_because() + gce::GceServer::missing_because());
    }
    TwoCloudScenario& begin(const Two& two) {
        auto aws = std::make_shared<aws::AwsServer>(two.aws);
        auto gce = std::make_shared<gce::GceServer>(two.gce);
        std::vector<clouds::Part> parts{part_of(aws, two.of_aws), part_of(gce, two.of_gce)};
        return keep(std::make_unique<TwoCloudScenario>(std::move(aws), std::move(gce),
                                                       std::move(parts), two.options));
    }
};

const std::map<std::string, std::string> first{{"zalando.org/scaling-priority", "100"}};

/// One on-demand group in each cloud, with these labels. A group with the labels `first` is
/// preferred.
Two on_demand_in_both(const std::map<std::string, std::string>& aws,
                      const std::map<std::string, std::string>& gce) {
    return {.aws = {.groups = {{.name = "web", .labels = aws}}},
            .gce = {.groups = {{.name = "web", .labels = gce}}},
            .options = {.expanders = R"(["label_priority", "least_waste"])"}};
}

/// The time of the first call later than `after` for which `is` is true; infinity without one.
template <class Calls, class Is>
double first_after(const Calls& calls, double after, const Is& is) {
    const auto found =
        std::ranges::find_if(calls, [&](const auto& call) { return call.at > after && is(call); });
    return found == calls.end() ? std::numeric_limits<double>::infinity() : found->at;
}

double of_aws(const aws::AwsServer& server, const std::string& action, double after = 0) {
    return first_after(server.calls(action), after, [](const aws::Call&) { return true; });
}

double of_google(const gce::GceServer& server, const std::string& method, double after = 0) {
    return first_after(server.calls(method), after, [](const gce::Call&) { return true; });
}

TEST_F(TwoClouds, FallBackFromAwsToGoogleInThePassThatFindsTheFailure) {
    Two two = on_demand_in_both(first, {});
    two.aws.more["capacity"] =
        json::parse(R"([{"group": "web", "limit": 0, "code": "InsufficientInstanceCapacity"}])");
    two.options.more = "[scale_up]\nbackoff = \"until_joined\"\n";
    TwoCloudScenario& s = begin(two);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.gce().target("web"), 1);
    EXPECT_EQ(s.aws().desired("web"), 1) << "one machine stays requested";
    EXPECT_THAT(s.nodes(), SizeIs(1));

    const double requested = of_aws(s.aws(), "SetDesiredCapacity");
    const double listed = of_aws(s.aws(), "DescribeScalingActivities", requested);
    const double fell_back = of_google(s.gce(), "createInstances");
    EXPECT_GT(fell_back, listed);
    EXPECT_LT(fell_back, of_aws(s.aws(), "DescribeScalingActivities", listed))
        << "each pass reads the activities";
}

TEST_F(TwoClouds, FallBackFromGoogleToAwsInThePassThatFindsTheFailure) {
    Two two = on_demand_in_both({}, first);
    two.gce.more["capacity"] = json::parse(R"([{"group": "shop-web", "limit": 0}])");
    two.options.more = "[scale_up]\nbackoff = \"until_joined\"\n";
    TwoCloudScenario& s = begin(two);
    s.run();
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    EXPECT_EQ(s.aws().desired("web"), 1);
    EXPECT_EQ(s.gce().target("web"), 1) << "one machine stays requested";

    const double requested = of_google(s.gce(), "createInstances");
    const double listed = of_google(s.gce(), "listManagedInstances", requested);
    const double fell_back = of_aws(s.aws(), "SetDesiredCapacity");
    EXPECT_GT(fell_back, listed);
    EXPECT_LT(fell_back, of_google(s.gce(), "aggregatedList", listed))
        << "each pass begins with a list of the groups";
}

/// Every machine of both clouds has two cores.
TEST_F(TwoClouds, ShareOneLimit) {
    Two two = on_demand_in_both({}, first);
    two.gce.more["capacity"] = json::parse(R"([{"group": "shop-web", "limit": 1}])");
    two.options.more =
        "[limits]\ncpu = { max = \"10\" }\n";  // the control plane's node has 4 of them
    TwoCloudScenario& s = begin(two);
    s.scale(6);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(3); }));
    ASSERT_TRUE(becomes(60s, [&] { return s.has_logged("max cluster cpu limit reached"); }));
    EXPECT_THAT(s.nodes(), SizeIs(3)) << "of both clouds together";
    EXPECT_EQ(s.gce().machines("web").size() + s.aws().machines("web").size(), 3u);
}

TEST_F(TwoClouds, KeepGroupsOfOneNameSeparate) {
    Two two = on_demand_in_both({}, {});
    TwoCloudScenario& s = begin(two);
    const commands::CommandResult doctor = s.run_command("doctor");
    EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
    s.scale(4);
    s.run();
    EXPECT_TRUE(becomes(90s, [&] { return s.has_ready_pods(4); }));
    EXPECT_EQ(s.aws().desired("web") + s.gce().target("web"), 4);
    s.scale(0);
    EXPECT_TRUE(becomes(120s, [&] { return s.aws().desired("web") + s.gce().target("web") == 0; }));
    EXPECT_TRUE(becomes(60s, [&] { return s.nodes().empty(); })) << "each cloud removes its own";
}

/// Without a suitable group one is created: on Google Cloud, since AWS has no capacity.
TEST_F(TwoClouds, CreateGroupsInTheCloudWithCapacity) {
    Two two;
    two.aws = aws::bare_account();
    two.gce = gce::bare_project();
    two.of_aws = aws::provisioned();
    two.of_gce = gce::provisioned();
    two.options = gce::provisioned();
    two.options.cpu = "6";
    two.aws.more["capacity"] =
        json::parse(R"([{"limit": 0, "code": "InsufficientInstanceCapacity"}])");
    TwoCloudScenario& s = begin(two);
    s.run();
    EXPECT_TRUE(becomes(120s, [&] { return s.has_ready_pods(1); }));
    EXPECT_THAT(s.gce().groups(), SizeIs(1));
    EXPECT_THAT(s.gce().groups().front(), HasSubstr("n2-standard-8"));
    s.scale(0);
    EXPECT_TRUE(
        becomes(150s, [&] { return s.aws().groups().empty() && s.gce().groups().empty(); }));
}

}  // namespace
}  // namespace capstan
