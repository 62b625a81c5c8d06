#include "simulation/chaos/storm.hpp"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

Input base() {
    Input out{.source = "web.toml", .cloud = CloudSettings{}};
    PodBatch web{.count = 3, .controller = Controller::replica_set};
    web.pod.name = "web";
    out.steps = {Step{.actions = {{.what = web}}, .advance = std::chrono::hours(1)}};
    out.steps[0].expect.pending = 0;
    return out;
}

TEST(Storm, IsTheSameForOneSeedAndAnotherForTheNext) {
    const auto moments = [](std::uint64_t seed) {
        std::vector<Duration> out;
        const auto storm = make_storm(base(), seed);
        for (const Action& action : storm->input.steps.at(0).actions) out.push_back(action.after);
        for (const Fault& fault : storm->input.faults) out.push_back(fault.from);
        return out;
    };
    EXPECT_EQ(moments(7), moments(7));
    EXPECT_NE(moments(7), moments(8));
}

TEST(Storm, IsOverWhenCalmBegins) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto storm = make_storm(base(), seed);
        ASSERT_TRUE(storm);
        ASSERT_EQ(storm->input.steps.size(), 2u);
        EXPECT_TRUE(storm->input.steps[1].actions.empty());
        EXPECT_EQ(storm->input.steps[0].expect.pending, std::nullopt) << "nobody expects anything";
        for (const Action& action : storm->input.steps[0].actions)
            EXPECT_LE(action.after, storm->storm);
        for (const Fault& fault : storm->input.faults)
            EXPECT_LT(*fault.until + fault.lasts, storm->storm);
    }
}

TEST(Storm, WantsTheSimulatedCloud) {
    Input other = base();
    other.cloud.reset();
    EXPECT_EQ(make_storm(other, 1).error().code, ErrorCode::invalid_config);
}

}  // namespace
}  // namespace capstan::simulation
