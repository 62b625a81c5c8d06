// Minutes in real time of the daemon as it ships, behind a proxy that does what networks and busy
// services do: passes begin when they are due, and no machine is bought twice.
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <thread>

#include <boost/json/parse.hpp>

#include "aws_story.hpp"

namespace capstan::aws {
namespace {

namespace json = boost::json;
using e2e::becomes;
using std::chrono::steady_clock;

/// How long it lasts; the variable is for a longer one.
std::chrono::seconds length() {
    const char* const wanted = std::getenv("CAPSTAN_AWS_BAD_DAY_SECONDS");
    return std::chrono::seconds(wanted == nullptr ? 120 : std::atoi(wanted));
}

/// Of a hundred calls about forty go wrong in one way or another.
constexpr auto bad_day = R"([
    {"fault": "error", "every": 7, "code": "Throttling", "status": 400, "service": "autoscaling"},
    {"fault": "error", "every": 5, "code": "RequestLimitExceeded", "status": 503, "service": "ec2"},
    {"fault": "hang", "every": 13, "seconds": 60},
    {"fault": "half_open", "every": 17},
    {"fault": "delay", "every": 6, "seconds": 0.7},
    {"fault": "reset", "every": 19},
    {"fault": "reset_after", "every": 11, "action": "SetDesiredCapacity|Terminate.*"},
    {"fault": "truncated", "every": 23},
    {"fault": "cut", "every": 29},
    {"fault": "html", "every": 31},
    {"fault": "looping_token", "every": 37, "action": "DescribeAutoScalingGroups", "count": 1}
])";

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

/// Pods that come one by one, and go again: how many there are at each moment of the day.
int pods_at(std::chrono::seconds since) {
    const auto part = since * 10 / length();
    return static_cast<int>(part < 6 ? 1 + part : 12 - part);
}
constexpr int most_pods = 7;

void expect_punctual(const std::string& metrics) {
    const std::string name = "capstan_pass_interval_seconds";
    const double all = metric(metrics, name + "_count");
    const double late = all - metric(metrics, name + "_bucket{le=\"5.5\"}");
    ::testing::Test::RecordProperty("intervals", static_cast<int>(all));
    ::testing::Test::RecordProperty("late", static_cast<int>(late));
    EXPECT_GE(all * 5.5, 0.8 * static_cast<double>(length().count()));
    EXPECT_LE(late, std::floor(all / 100))
        << "of " << all << " intervals are longer than 1.1 of 5 s";
}

TEST_F(AwsStories, BeginPassesInTimeOnABadDay) {
    AwsStory& s =
        begin({.groups = {{.name = "web"}},
               .more = {{"lag", 3}, {"delays", json::parse(R"({"launch": 1, "boot": 3})")}}},
              {.scan_interval = "5s", .settings = "timeout = \"1s\"\n"});
    s.run();
    ASSERT_TRUE(becomes(60s, [&] { return s.has_ready_pods(1); }));
    s.aws().strike(json::parse(bad_day).as_array());
    const auto begun = steady_clock::now();
    int most = 1;
    while (steady_clock::now() - begun < length()) {
        const auto since =
            std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begun);
        s.scale(pods_at(since));
        most = std::max(most, s.aws().desired("web"));
        ASSERT_TRUE(s.daemon().process().is_running());
        std::this_thread::sleep_for(500ms);
    }
    expect_punctual(s.daemon().admin().answer("/metrics").body);
    EXPECT_LE(most, most_pods) << "no machine too many";
    for (const Call& call : s.aws().calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.parameter("ShouldDecrementDesiredCapacity"), "true");
    s.aws().strike({});
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); })) << "a better day";
    EXPECT_TRUE(becomes(60s, [&] { return s.aws().desired("web") == 3; }));
}

}  // namespace
}  // namespace capstan::aws
