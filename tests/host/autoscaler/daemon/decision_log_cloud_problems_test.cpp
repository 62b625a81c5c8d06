#include "autoscaler/daemon/decision_log.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct CloudProblemLogTest : ::testing::Test {
    std::vector<std::string> lines;  ///< without their time
    plugin_runtime::services::Logger log{
        {}, std::make_shared<io::ManualClock>(), [this](std::string_view line) {
            lines.emplace_back(line.substr(line.find(' ') + 1));
        }};
    CloudProblemLog problem_log{log};
    Time now{};

    std::vector<std::string> logged(const std::vector<Error>& problems, Duration after = 10s) {
        now += after;
        problem_log.log(problems, now);
        return std::exchange(lines, {});
    }
    static Error group_problem(const std::string& id, const std::string& what = "no template") {
        return {.code = ErrorCode::unavailable,
                .message = "plugin eu: group \"" + id + "\": " + what,
                .subject = id};
    }
};

TEST_F(CloudProblemLogTest, LogsBeginAndEndOfAnOutage) {
    const auto refresh_failed = [](int seconds) {
        return Error{ErrorCode::deadline,
                     "plugin eu: refresh: no response for " + std::to_string(seconds) + " s"};
    };
    EXPECT_THAT(logged({refresh_failed(10)}),
                ElementsAre("warn  pass: plugin eu: refresh: no response for 10 s"));
    for (int i = 2; i < 11; ++i) EXPECT_THAT(logged({refresh_failed(10 * i)}), IsEmpty());
    EXPECT_THAT(logged({}), ElementsAre("info  pass: cloud eu: works again after 1m40s"));
    EXPECT_THAT(logged({}), IsEmpty());
}

TEST_F(CloudProblemLogTest, GroupsProblemsThatBeginTogether) {
    EXPECT_THAT(logged({group_problem("a"), group_problem("b"), group_problem("c")}),
                ElementsAre("warn  pass: plugin eu: group \"a\": no template (and 2 more like it: "
                            "b, c)"));
    EXPECT_THAT(
        logged({group_problem("a"), group_problem("b"), group_problem("c"), group_problem("d")}),
        ElementsAre("warn  pass: plugin eu: group \"d\": no template"));
    EXPECT_THAT(logged({group_problem("a")}), IsEmpty()) << "a problem remains";
}

TEST_F(CloudProblemLogTest, LogsEachCloudSeparately) {
    logged({group_problem("a")});
    const Error other{ErrorCode::unavailable, "plugin us: refresh: connection refused"};
    EXPECT_THAT(logged({group_problem("a"), other}),
                ElementsAre("warn  pass: plugin us: refresh: connection refused"));
    EXPECT_THAT(logged({group_problem("a")}),
                ElementsAre("info  pass: cloud us: works again after 10s"));
}

TEST_F(CloudProblemLogTest, DoesNotReportABackedOffCloudAsWorking) {
    const Error failed{ErrorCode::permission, "plugin eu: refresh: 403"};
    const Error backed_off{ErrorCode::permission,
                           "cloud eu is backed off until 10:02:28Z: plugin eu: refresh: 403"};
    EXPECT_THAT(logged({failed}), ElementsAre("warn  pass: plugin eu: refresh: 403"));
    EXPECT_THAT(logged({backed_off}), ElementsAre("warn  pass: " + backed_off.message));
    EXPECT_THAT(logged({backed_off}), IsEmpty());
    EXPECT_THAT(logged({failed}), ElementsAre("warn  pass: plugin eu: refresh: 403"));
    EXPECT_THAT(logged({}), ElementsAre("info  pass: cloud eu: works again after 40s"));
}

TEST_F(CloudProblemLogTest, RepeatsALastingProblemEveryFiveMinutes) {
    logged({group_problem("a"), group_problem("b")});
    EXPECT_THAT(logged({group_problem("a"), group_problem("b")}, 4min), IsEmpty());
    EXPECT_THAT(logged({group_problem("a"), group_problem("b")}, 1min),
                ElementsAre("warn  pass: plugin eu: group \"a\": no template (and 1 more like it: "
                            "b), for 5m"));
    EXPECT_THAT(logged({group_problem("a"), group_problem("b")}, 1min), IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
