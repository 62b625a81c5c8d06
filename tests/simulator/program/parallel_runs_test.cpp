#include "simulator/program/parallel_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

namespace capstan::simulator::program {
namespace {

TEST(ParallelRuns, HandOverResultsInOrder) {
    std::vector<std::string> results;
    const auto ran = run_in_parallel(
        3, {.has_more = [](std::size_t index) { return index < 20; },
            .work = [](std::size_t index) { return std::string(index * 10'000, 'x'); },
            .on_result =
                [&](std::size_t index, const Result<std::string>& text) {
                    EXPECT_EQ(index, results.size());
                    results.push_back(text.value_or("failed"));
                }});
    EXPECT_TRUE(ran);
    ASSERT_EQ(results.size(), 20u);
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].size(), i * 10'000);
}

TEST(ParallelRuns, SurviveACopyThatCrashes) {
    std::vector<std::string> results;
    const auto ran =
        run_in_parallel(2, {.has_more = [](std::size_t index) { return index < 3; },
                            .work =
                                [](std::size_t index) {
                                    if (index == 1) ::raise(SIGKILL);
                                    return std::to_string(index);
                                },
                            .on_result =
                                [&](std::size_t, const Result<std::string>& text) {
                                    results.push_back(text ? *text : text.error().message);
                                }});
    EXPECT_TRUE(ran);
    EXPECT_THAT(results,
                ::testing::ElementsAre("0", ::testing::HasSubstr("was killed by signal 9"), "2"));
}

}  // namespace
}  // namespace capstan::simulator::program
