#include "api/operations.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include "scripted_google.hpp"

namespace capstan::gce {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* ask = "GET projects/shop/zones/us-central1-a/operations/op-1";

Operation operation(const std::string& more = {}, const std::string& status = "RUNNING") {
    const auto read = read_operation(*parse_json(operation_response(more, status)));
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Operation();
}

TEST(GceOperations, ArePolledUntilTheyAreDone) {
    ScriptedGoogle google;
    google.on(ask, operation_response())
        .on(ask, operation_response())
        .on(ask, operation_response({}, "DONE"));
    const auto done =
        google.run(await_operation(google.host().host(), google.client(), operation(), 10s));
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->is_done);
    EXPECT_THAT(google.requests(), SizeIs(3));
}

TEST(GceOperations, AreNotPolledIfDone) {
    ScriptedGoogle google;
    EXPECT_TRUE(google.run(
        await_operation(google.host().host(), google.client(), operation({}, "DONE"), 10s)));
    EXPECT_THAT(google.requests(), SizeIs(0));
}

TEST(GceOperations, AreReturnedUnfinishedAfterTheTimeout) {
    ScriptedGoogle google;
    google.on(ask, operation_response());
    const Duration begin = google.host().monotonic();
    const auto open =
        google.run(await_operation(google.host().host(), google.client(), operation(), 3s));
    ASSERT_TRUE(open);
    EXPECT_FALSE(open->is_done);
    EXPECT_LE(google.host().monotonic() - begin, 3s);
}

TEST(GceOperations, ReportTheMostImportantErrorFirst) {
    const Operation failed = operation(
        R"(,"error":{"errors":[{"code":"INTERNAL","message":"a"},
            {"code":"ZONE_RESOURCE_POOL_EXHAUSTED","message":"b","location":"l"}]},"warnings":[{"code":"W","message":"w"}])",
        "DONE");
    ASSERT_THAT(failed.errors, SizeIs(2));
    EXPECT_EQ(failed.errors[0].code, ErrorCode::out_of_capacity);
    EXPECT_EQ(failed.errors[0].subject, "l");
    EXPECT_THAT(failed.warnings, ElementsAre("w"));
    const auto outcome = outcome_of(failed, "compute.x");
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("compute.x: ZONE_RESOURCE_POOL_EXHAUSTED: b"));
    EXPECT_TRUE(outcome_of(operation({}, "DONE"), "compute.x"));
}

TEST(GceOperations, FailEvenWithoutAnError) {
    for (const auto& [more, message] :
         {std::pair{R"(,"httpErrorStatusCode":403,"httpErrorMessage":"FORBIDDEN")",
                    "FORBIDDEN: Google returned no reason"},
          std::pair{R"(,"httpErrorStatusCode":503,"error":{"errors":[]})",
                    "Google returned no reason"},
          std::pair{R"(,"error":{"code":13})", "Google returned no reason"}}) {
        const Operation failed = operation(more, "DONE");
        ASSERT_THAT(failed.errors, SizeIs(1)) << more;
        EXPECT_EQ(failed.errors[0].message, message);
    }
    EXPECT_THAT(operation(R"(,"httpErrorStatusCode":0)", "DONE").errors, SizeIs(0));
}

TEST(GceOperations, AreRejectedIfMalformed) {
    for (const char* none : {"{}", R"({"selfLink":"x"})", R"({"selfLink":7})", "[]", "null",
                             R"({"selfLink":"projects/p/zones/z/operations/o","error":[]})"})
        EXPECT_FALSE(read_operation(*parse_json(none))) << none;
}

}  // namespace
}  // namespace capstan::gce
