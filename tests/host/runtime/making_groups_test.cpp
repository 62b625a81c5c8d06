// How a decision to make and delete groups is carried out.
#include "runtime/actuator.hpp"

#include <gmock/gmock.h>

#include "fake_cluster.hpp"
#include "virtual_assembly.hpp"

namespace capstan::runtime {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

const std::string making_cloud =
    "[pipeline]\nclouds = [\"east\"]\n" +
    simulated("east", "latency = \"3s\", groups = [" + simulated_group("a") +
                          "], machine_types = ["
                          "{ machine = { type = \"m\", cpu = \"4\", memory = \"16Gi\" } }, "
                          "{ machine = { type = \"none\", cpu = \"4\", memory = \"16Gi\" }, "
                          "fail_create = { code = \"quota\", message = \"no more\" } }]");

const PluginInstanceId east("east");

struct MakingGroups : ::testing::Test {
    engine::Decision decision{};
    VirtualAssembly virtually{making_cloud};
    FakeCluster cluster;
    engine::CallContext call_context{.seed = 7, .now = Time(1h)};

    void make(const std::string& name, const std::string& type, int nodes,
              const PluginInstanceId& of = east) {
        decision.creations.push_back({.group = NodeGroupId(name),
                                      .cloud = of,
                                      .plan = {.name = name, .machine_type = type}});
        grow(name, nodes, of);
    }
    void grow(const std::string& name, int nodes, const PluginInstanceId& of = east) {
        decision.increases.push_back(
            {.group = NodeGroupId(name), .cloud = of, .from = 0, .by = nodes});
    }
    void drop(const std::string& name) {
        decision.deletions.push_back({.group = NodeGroupId(name), .cloud = east});
    }
    engine::Results carry_out() {
        const engine::Results out = carry_out_now(decision, {}, virtually.clouds(), cluster,
                                                  call_context, virtually.host());
        decision = {};
        return out;
    }
    /// "a 2" for each group that the cloud lists.
    std::vector<std::string> groups() {
        const auto view = virtually.clouds().refresh_now(virtually.host());
        std::vector<std::string> out;
        for (const engine::Group& each : *view.groups)
            out.push_back(each.group.id.value() + " " + std::to_string(*each.group.target));
        return out;
    }
};

std::vector<std::string> codes(const std::vector<std::optional<Error>>& errors) {
    std::vector<std::string> out;
    for (const auto& error : errors)
        out.push_back(error ? std::string(name_of(error->code)) : "done");
    return out;
}

TEST_F(MakingGroups, AGroupGrowsOnceItIsThere) {
    make("nap-m", "m", 2);
    grow("a", 1);
    const engine::Results results = carry_out();
    EXPECT_EQ(virtually.elapsed(), 6s) << "one call after the other, of 3s each";
    EXPECT_THAT(codes(results.creations), ElementsAre("done"));
    EXPECT_THAT(codes(results.increases), ElementsAre("done", "done"));
    EXPECT_THAT(groups(), ElementsAre("a 1", "nap-m 2"));
}

TEST_F(MakingGroups, AGroupThatIsNotMadeIsNotGrownAndKeepsNoOther) {
    make("nap-none", "none", 1);
    make("nap-m", "m", 1);
    make("nap-west", "m", 1, PluginInstanceId("west"));
    const engine::Results results = carry_out();
    EXPECT_THAT(codes(results.creations), ElementsAre("quota", "done", "internal"));
    EXPECT_THAT(codes(results.increases), ElementsAre("cancelled", "done", "cancelled"));
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-m 1"));
}

TEST_F(MakingGroups, TheSameDecisionAgainHasNoSecondEffect) {
    for (int i = 0; i < 2; ++i) {
        make("nap-m", "m", 2);
        const engine::Results results = carry_out();
        EXPECT_THAT(codes(results.creations), ElementsAre("done"));
        EXPECT_THAT(codes(results.increases), ElementsAre("done"));
    }
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-m 2"));
}

TEST_F(MakingGroups, OnlyWhatWasMadeAndIsEmptyIsDeleted) {
    make("nap-empty", "m", 0);
    decision.increases.clear();
    make("nap-full", "m", 1);
    carry_out();
    for (const char* name : {"a", "nap-empty", "nap-full", "nobody"}) drop(name);
    EXPECT_THAT(codes(carry_out().deletions),
                ElementsAre("permission", "done", "conflict", "not_found"));
    EXPECT_THAT(groups(), ElementsAre("a 0", "nap-full 1"));
}

}  // namespace
}  // namespace capstan::runtime
