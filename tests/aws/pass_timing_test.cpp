// Pass timing while about forty percent of the calls to AWS fail in various ways.
#include <boost/json/parse.hpp>

#include "../clouds/pass_timing.hpp"
#include "aws_scenario.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;

constexpr auto faults = R"([
    {"fault": "reset_after", "every": 3, "action": "SetDesiredCapacity|Terminate.*"},
    {"fault": "looping_token", "skip": 5, "every": 9, "action": "DescribeAutoScalingGroups", "count": 2},
    {"fault": "error", "every": 2, "code": "RequestLimitExceeded", "status": 503, "service": "ec2"},
    {"fault": "error", "every": 7, "code": "Throttling", "status": 400, "service": "autoscaling"},
    {"fault": "hang", "every": 12, "seconds": 60},
    {"fault": "half_open", "every": 13},
    {"fault": "delay", "every": 5, "seconds": 0.7},
    {"fault": "reset", "every": 10},
    {"fault": "truncated", "every": 11},
    {"fault": "cut", "every": 11},
    {"fault": "html", "every": 11}
])";

TEST_F(AwsDaemon, StartsPassesOnTimeDuringFaults) {
    AwsScenario& s =
        begin({.groups = {{.name = "web"}},
               .more = {{"lag", 3}, {"delays", json::parse(R"({"launch": 1, "boot": 3})")}}},
              {.scan_interval = "5s", .settings = "timeout = \"1s\"\n"});
    clouds::check_pass_timing(s, {.variable = "CAPSTAN_AWS_PASS_TIMING_SECONDS",
                                  .rules = json::parse(faults).as_array(),
                                  .wanted = [&] { return s.aws().desired("web"); }});
    for (const Call& call : s.aws().calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.parameter("ShouldDecrementDesiredCapacity"), "true");
}

}  // namespace
}  // namespace capstan::aws
