#include "plugin_runtime/loop/guarded_call.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::plugin_runtime::loop {
namespace {

using namespace std::chrono_literals;

/// An error as a plugin reports it.
capstan_error reported_error(std::string_view message, capstan_status code = CAPSTAN_E_QUOTA) {
    return {sizeof(capstan_error), code, str(message), {}, {}, -1, CAPSTAN_SCOPE_UNKNOWN, 0};
}

TEST(ReportedError, IsCopiedWithAllItsParts) {
    capstan_error reported = reported_error("no more m5.large", CAPSTAN_E_OUT_OF_CAPACITY);
    reported.provider_code = str("InsufficientInstanceCapacity");
    reported.subject = str("web-a");
    reported.retry_after_ms = 1500;
    reported.scope = CAPSTAN_SCOPE_ZONE;
    EXPECT_EQ(copy_error(&reported),
              (Error{ErrorCode::out_of_capacity, "no more m5.large", "InsufficientInstanceCapacity",
                     "web-a", 1500ms, ErrorScope::zone}));
}

TEST(ReportedError, IsABugOfThePluginIfItSaysNothing) {
    capstan_error short_struct = reported_error("not read");
    short_struct.struct_size = offsetof(capstan_error, retry_after_ms);
    capstan_error success = reported_error("not read", CAPSTAN_OK);
    const std::vector<std::pair<const capstan_error*, std::string>> cases{
        {nullptr, "the plugin reported a failure without an error"},
        {&short_struct, "the plugin reported an error whose struct_size is too small"},
        {&success, "the plugin reported a failure whose code is CAPSTAN_OK"},
    };
    for (const auto& [reported, message] : cases)
        EXPECT_EQ(copy_error(reported), (Error{ErrorCode::internal, message}));
}

TEST(ReportedError, HasNoScopeIfItsSdkIsOlderThanScopes) {
    capstan_error reported = reported_error("quota exceeded");
    reported.scope = CAPSTAN_SCOPE_ACCOUNT;
    EXPECT_EQ(copy_error(&reported).scope, ErrorScope::account);
    reported.struct_size = offsetof(capstan_error, scope);
    EXPECT_EQ(copy_error(&reported).scope, ErrorScope::unknown);
    EXPECT_EQ(copy_error(&reported).message, "quota exceeded");
}

TEST(ReportedError, TreatsUnknownNumbersAsInternalAndAsAnUnknownScope) {
    for (const capstan_status code : {-1, CAPSTAN_E_BUSY + 1, 1'000'000}) {
        const capstan_error reported = reported_error("new", code);
        EXPECT_EQ(copy_error(&reported).code, ErrorCode::internal) << code;
    }
    for (const std::int32_t scope : {-1, CAPSTAN_SCOPE_ACCOUNT + 1}) {
        capstan_error reported = reported_error("new");
        reported.scope = scope;
        EXPECT_EQ(copy_error(&reported).scope, ErrorScope::unknown) << scope;
    }
}

TEST(ReportedError, IsOnePrintableLineOfLimitedLength) {
    const std::string as_long_as_allowed(4096, 'm');
    const std::vector<std::pair<std::string, std::string>> messages{
        {"", ""},
        {"line 1\nline 2\x1b[31m", "line 1\\nline 2\\x1b[31m"},
        {"\xff", "\xef\xbf\xbd"},
        {as_long_as_allowed, as_long_as_allowed},
        {as_long_as_allowed + "m", as_long_as_allowed + "..."},
    };
    for (const auto& [written, copied] : messages) {
        const capstan_error reported = reported_error(written);
        EXPECT_EQ(copy_error(&reported).message, copied);
    }
    const std::string name(257, 'n');
    capstan_error reported = reported_error("quota exceeded");
    reported.provider_code = str(name);
    reported.subject = str(name);
    EXPECT_EQ(copy_error(&reported).provider_code, std::string(256, 'n') + "...");
    EXPECT_EQ(copy_error(&reported).subject, std::string(256, 'n') + "...");
}

TEST(ReportedError, IsNotReadBeyondMemoryIfALengthIsImpossible) {
    capstan_error reported = reported_error("quota exceeded");
    reported.message.len = std::numeric_limits<std::size_t>::max();
    reported.subject = {nullptr, std::numeric_limits<std::size_t>::max()};
    EXPECT_EQ(copy_error(&reported).message, "");
    EXPECT_EQ(copy_error(&reported).subject, "");
}

TEST(ReportedError, LimitsTheAdviceToRetryToADay) {
    const std::vector<std::pair<std::int64_t, std::optional<Duration>>> cases{
        {std::numeric_limits<std::int64_t>::min(), std::nullopt},
        {-1, std::nullopt},
        {0, 0ms},
        {86'400'000, 24h},
        {86'400'001, 24h},
        {std::numeric_limits<std::int64_t>::max(), 24h},
    };
    for (const auto& [milliseconds, retry_after] : cases) {
        capstan_error reported = reported_error("slow down", CAPSTAN_E_THROTTLED);
        reported.retry_after_ms = milliseconds;
        EXPECT_EQ(copy_error(&reported).retry_after, retry_after) << milliseconds;
    }
}

TEST(ErrorOfAStatus, NamesTheCallAndTheCode) {
    EXPECT_EQ(error_of(CAPSTAN_E_THROTTLED, "plugin aws: refresh"),
              (Error{ErrorCode::throttled,
                     "plugin aws: refresh returned throttled without an error message"}));
    EXPECT_EQ(error_of(99, "plugin aws: refresh"),
              (Error{ErrorCode::internal,
                     "plugin aws: refresh returned internal without an error message"}));
}

}  // namespace
}  // namespace capstan::plugin_runtime::loop
