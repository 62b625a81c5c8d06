// Minutes in real time of the daemon as it ships, behind a proxy that does what networks and busy
// services do: passes begin when they are due, and no machine is bought twice.
#include <algorithm>
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

/// Of the time between the starts of passes.
struct Intervals {
    double all = 0, late = 0;  ///< late: longer than 1.1 of 5 s
};

double metric(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

Intervals intervals_of(const std::string& metrics) {
    const std::string name = "capstan_pass_interval_seconds";
    const double all = metric(metrics, name + "_count");
    return {.all = all, .late = all - metric(metrics, name + "_bucket{le=\"5.5\"}")};
}

/// Pods that come one by one, and go again: how many there are at each moment of the day.
int pods_at(std::chrono::seconds since) {
    const auto part = since * 10 / length();
    return static_cast<int>(part < 6 ? 1 + part : 12 - part);
}

void expect_punctual(const Intervals& before, const Intervals& after) {
    const double all = after.all - before.all, late = after.late - before.late;
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
    s.aws().strike(json::parse(bad_day).as_array());
    s.run();
    ASSERT_TRUE(becomes(90s, [&] { return s.has_ready_pods(1); }));
    const auto intervals = [&] { return intervals_of(s.daemon().admin().answer("/metrics").body); };
    const Intervals before = intervals();
    const auto begun = steady_clock::now();
    int wanted = 1;  // the most pods that there were so far
    while (steady_clock::now() - begun < length()) {
        const auto since =
            std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - begun);
        s.scale(pods_at(since));
        wanted = std::max(wanted, pods_at(since));
        EXPECT_LE(s.aws().desired("web"), wanted) << "no machine too many";
        ASSERT_TRUE(s.daemon().process().is_running());
        std::this_thread::sleep_for(500ms);
    }
    expect_punctual(before, intervals());
    EXPECT_THAT(s.aws().hits(), ::testing::Each(::testing::Gt(0))) << "each fault has struck";
    for (const Call& call : s.aws().calls("TerminateInstanceInAutoScalingGroup"))
        EXPECT_EQ(call.parameter("ShouldDecrementDesiredCapacity"), "true");
    s.aws().strike({});
    s.scale(3);
    EXPECT_TRUE(becomes(60s, [&] { return s.has_ready_pods(3); })) << "a better day";
    // A removal whose answer was lost is asked for again after two minutes.
    EXPECT_TRUE(becomes(180s, [&] { return s.aws().desired("web") == 3; }));
}

}  // namespace
}  // namespace capstan::aws
