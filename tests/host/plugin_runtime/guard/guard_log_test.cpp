#include "plugin_runtime/guard/guard_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::plugin_runtime::guard {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

loop::HeldCall refresh_for(Duration lasts) {
    return {"aws", "capstan.cloud/1", loop::Hook::refresh, lasts};
}

TEST(HeldCallLog, LogsACallWheneverItsTimeDoublesAndItsEnd) {
    HeldCallLog log;
    using Line = HeldCallLog::Line;
    const Line first{config::LogLevel::error,
                     "plugin aws: refresh has blocked its thread for 5s; the plugin is not called "
                     "until it returns"};
    EXPECT_THAT(log.look({refresh_for(5s)}), ElementsAre(first));
    EXPECT_THAT(log.look({refresh_for(6s)}), IsEmpty());
    EXPECT_THAT(log.look({refresh_for(10s)}), testing::SizeIs(1));
    EXPECT_THAT(log.look({refresh_for(19s)}), IsEmpty());
    EXPECT_THAT(
        log.look({}),
        ElementsAre(
            Line{config::LogLevel::warn,
                 "plugin aws: refresh returned after more than 19s; the plugin is called again"}));
    EXPECT_THAT(log.look({}), IsEmpty());
}

TEST(HeldCallLog, LogsTheNextCallSeparately) {
    HeldCallLog log;
    log.look({refresh_for(60s)});
    EXPECT_THAT(log.look({refresh_for(5s)}), testing::SizeIs(2))
        << "the end of one call and the next call";
}

}  // namespace
}  // namespace capstan::plugin_runtime::guard
