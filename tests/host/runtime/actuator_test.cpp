#include "runtime/actuator.hpp"

#include <gmock/gmock.h>

#include "virtual_assembly.hpp"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const std::string cloud =
    "[pipeline]\nclouds = [\"east\"]\n" +
    simulated("east",
              "latency = \"3s\", groups = [" + simulated_group("a") + ", " +
                  simulated_group("b", "fail = { code = \"quota\", message = \"too many\" }") +
                  ", " + simulated_group("c", "size = 1") + "]");

engine::Increase increase(const char* group, int from, int by, const char* of = "east") {
    return {.group = NodeGroupId(group), .cloud = PluginInstanceId(of), .from = from, .by = by};
}

/// "a: 2" or "b: quota", in the order of the decision.
std::vector<std::string> outcomes(const std::vector<CarriedOut>& carried_out) {
    std::vector<std::string> out;
    for (const auto& [asked, resized] : carried_out) {
        out.push_back(asked.group.value() + ": " +
                      (resized ? std::to_string(resized->target)
                               : std::string(name_of(resized.error().code))));
    }
    return out;
}

struct Actuator : ::testing::Test {
    std::vector<CarriedOut> carry_out(std::vector<engine::Increase> increases) {
        engine::Decision decision;
        decision.increases = std::move(increases);
        return carry_out_now(decision, virtually.clouds(), circumstances, virtually.host());
    }
    std::vector<int> targets() {
        std::vector<int> out;
        for (const auto& group : *virtually.clouds().refresh_now(virtually.host()).groups)
            out.push_back(group.group.target.value());
        return out;
    }
    VirtualAssembly virtually{cloud};
    engine::Circumstances circumstances{.seed = 7, .now = Time(1h)};
};

TEST_F(Actuator, OneFailureKeepsNoOther) {
    const auto carried_out =
        carry_out({increase("c", 1, 2), increase("b", 0, 1), increase("a", 0, 4),
                   increase("a", 0, 1, "west"), increase("c", 7, 1)});
    EXPECT_THAT(outcomes(carried_out),
                ElementsAre("c: 3", "b: quota", "a: 4", "a: internal", "c: conflict"));
    EXPECT_EQ(carried_out[1].resized.error().message, "plugin east: increase: group b: too many");
    EXPECT_THAT(targets(), ElementsAre(4, 0, 3));
}

TEST_F(Actuator, AsksForEverythingAtOnce) {
    carry_out({increase("a", 0, 1), increase("c", 1, 1)});
    EXPECT_EQ(virtually.elapsed(), 3s);
}

TEST_F(Actuator, TheSameDecisionAgainHasNoSecondEffect) {
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(outcomes(carry_out({increase("a", 0, 2)})), ElementsAre("a: 2"));
    circumstances.now += 10s;
    EXPECT_THAT(outcomes(carry_out({increase("a", 2, 2)})), ElementsAre("a: 4"));
    EXPECT_THAT(outcomes(carry_out({increase("a", 0, 2)})), ElementsAre("a: conflict"))
        << "another pass, decided on what is past";
}

TEST_F(Actuator, ADryRunAsksForNothing) {
    circumstances.dry_run = true;
    EXPECT_THAT(carry_out({increase("a", 0, 1)}), IsEmpty());
    EXPECT_THAT(targets(), ElementsAre(0, 0, 1));
}

TEST_F(Actuator, ADecisionToDoNothingTakesNoTime) {
    EXPECT_THAT(carry_out({}), IsEmpty());
    EXPECT_EQ(virtually.elapsed(), 0s);
}

TEST(RememberFailures, LeavesGroupsAloneThatDidNotGrow) {
    const std::vector<CarriedOut> carried_out = {
        {increase("a", 0, 1), fail(ErrorCode::out_of_capacity, "none left")},
        {increase("b", 0, 1), Resized{1}},
        {increase("c", 0, 1), fail(ErrorCode::conflict, "its target is 2, not 0")},
        {increase("d", 0, 1), fail(ErrorCode::cancelled, "the plugin is stopping")},
        {increase("e", 0, 1), fail(ErrorCode::deadline, "no answer")}};
    const engine::Memory memory = remember_failures({}, carried_out, engine::Settings{}, Time(1h));
    std::vector<std::string> left_alone;
    for (const auto& [group, backoff] : memory.backoffs) left_alone.push_back(group.value());
    EXPECT_THAT(left_alone, ElementsAre("a", "e"));
    EXPECT_EQ(memory.backoffs.at(NodeGroupId("a")).code, ErrorCode::out_of_capacity);
}

}  // namespace
}  // namespace capstan::runtime
