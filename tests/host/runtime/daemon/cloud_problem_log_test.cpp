#include "runtime/daemon/decision_log.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::runtime::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct AtClouds : ::testing::Test {
    std::vector<std::string> lines;  ///< without their time
    services::Logger log{{}, std::make_shared<io::ManualClock>(), [this](std::string_view line) {
                             lines.emplace_back(line.substr(line.find(' ') + 1));
                         }};
    CloudProblemLog troubles{log};
    Time now{};

    std::vector<std::string> told(const std::vector<Error>& problems, Duration after = 10s) {
        now += after;
        troubles.tell(problems, now);
        return std::exchange(lines, {});
    }
    static Error of_group(const std::string& id, const std::string& what = "no template") {
        return {.code = ErrorCode::unavailable,
                .message = "plugin eu: group \"" + id + "\": " + what,
                .subject = id};
    }
};

TEST_F(AtClouds, AnOutageIsTwoLinesThoughItsSentencesDiffer) {
    const auto refresh_failed = [](int seconds) {
        return Error{ErrorCode::deadline,
                     "plugin eu: refresh: no answer for " + std::to_string(seconds) + " s"};
    };
    EXPECT_THAT(told({refresh_failed(10)}),
                ElementsAre("warn  pass: plugin eu: refresh: no answer for 10 s"));
    for (int i = 2; i < 11; ++i) EXPECT_THAT(told({refresh_failed(10 * i)}), IsEmpty());
    EXPECT_THAT(told({}), ElementsAre("info  pass: plugin eu: works again after 1m40s"));
    EXPECT_THAT(told({}), IsEmpty());
}

TEST_F(AtClouds, WhatBeginsAtOnceIsOneLine) {
    EXPECT_THAT(told({of_group("a"), of_group("b"), of_group("c")}),
                ElementsAre("warn  pass: plugin eu: group \"a\": no template (and 2 more like it: "
                            "b, c)"));
    EXPECT_THAT(told({of_group("a"), of_group("b"), of_group("c"), of_group("d")}),
                ElementsAre("warn  pass: plugin eu: group \"d\": no template"));
    EXPECT_THAT(told({of_group("a")}), IsEmpty()) << "something is in the way still";
}

TEST_F(AtClouds, AnotherCloudIsAnotherOutage) {
    told({of_group("a")});
    const Error other{ErrorCode::unavailable, "plugin us: refresh: connection refused"};
    EXPECT_THAT(told({of_group("a"), other}),
                ElementsAre("warn  pass: plugin us: refresh: connection refused"));
    EXPECT_THAT(told({of_group("a")}), ElementsAre("info  pass: plugin us: works again after 10s"));
}

TEST_F(AtClouds, WhatLastsIsToldAgainRarely) {
    told({of_group("a"), of_group("b")});
    EXPECT_THAT(told({of_group("a"), of_group("b")}, 4min), IsEmpty());
    EXPECT_THAT(told({of_group("a"), of_group("b")}, 1min),
                ElementsAre("warn  pass: plugin eu: group \"a\": no template (and 1 more like it: "
                            "b), for 5m"));
    EXPECT_THAT(told({of_group("a"), of_group("b")}, 1min), IsEmpty());
}

}  // namespace
}  // namespace capstan::runtime::daemon
