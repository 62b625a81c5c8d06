#include <capstan/standing_warnings.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <capstan/testing/fake_host.hpp>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using Sentences = std::vector<std::string>;

struct StandingWarningsTest : ::testing::Test {
    FakeHost host{};
    StandingWarnings warnings{host.host()};

    std::vector<std::string> logged() const {
        std::vector<std::string> out;
        for (const auto& line : host.log_lines()) {
            EXPECT_EQ(line.level, CAPSTAN_LOG_WARN);
            out.push_back(line.message);
        }
        return out;
    }
};

TEST_F(StandingWarningsTest, LogAWarningOnce) {
    for (int refresh = 0; refresh < 3; ++refresh) warnings.set("group a", "a is full");
    EXPECT_THAT(logged(), ElementsAre("a is full"));
}

TEST_F(StandingWarningsTest, LogOnlyNewWarnings) {
    warnings.set("group a", Sentences{"a is full", "a is old"});
    warnings.set("group a", Sentences{"a is new", "a is full"});
    EXPECT_THAT(logged(), ElementsAre("a is full", "a is old", "a is new"));
    warnings.set("group a", Sentences{"a is old"});
    EXPECT_THAT(logged(), ElementsAre("a is full", "a is old", "a is new", "a is old"))
        << "the warning had ended";
}

TEST_F(StandingWarningsTest, LogAWarningAgainAfterItEnded) {
    warnings.set("group a", "a is full");
    warnings.set("group a", Sentences{});
    warnings.set("group a", "a is full");
    warnings.end("group a");
    warnings.set("group a", "a is full");
    EXPECT_THAT(logged(), ElementsAre("a is full", "a is full", "a is full"));
}

TEST_F(StandingWarningsTest, AreSeparateForEachSubject) {
    warnings.set("group a", "it is full");
    warnings.set("group b", "it is full");
    warnings.end("group b");
    warnings.end("group c");
    warnings.set("group a", "it is full");
    EXPECT_THAT(logged(), ElementsAre("it is full", "it is full"));
}

}  // namespace
}  // namespace capstan
