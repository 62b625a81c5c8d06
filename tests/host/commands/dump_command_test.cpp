// `capstan dump`, of an API server on loopback.
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "served_cluster.hpp"
#include "shell.hpp"

namespace capstan::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// One node, and a pod on it with a secret in its environment.
void fill_small_cluster(simulation::ObjectStore& store) {
    const auto put = [&](const char* kind, const char* space, const char* text) {
        const auto made =
            store.create(store.kind(kind), space, boost::json::parse(text).as_object(),
                         {.part = simulation::ObjectPart::everything});
        ASSERT_TRUE(made) << made.error();
    };
    put("nodes", "", R"({"metadata":{"name":"n1"},"status":{
        "allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},
        "conditions":[{"type":"Ready","status":"True"}]}})");
    put("pods", "default", R"({"metadata":{"name":"web"},"spec":{"nodeName":"n1","containers":[
        {"name":"c","env":[{"name":"PASSWORD","value":"hush"}],
        "resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running"}})");
}

Ran take_dump(const Served& served, const std::string& file) {
    const Folder folder;
    return capstan("dump '" + file + "' --kubeconfig '" +
                   folder.write("kubeconfig", served.kubeconfig()) + "'");
}

TEST(DumpCommand, WritesWhatSimulateNeedsAndNothingThatDecisionsDoNotRead) {
    const Served served(std::nullopt, fill_small_cluster);
    const Folder folder;
    const std::string file = (folder.path() / "dump.json").string();
    const Ran ran = take_dump(served, file);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("nodes: 1 object\n"), HasSubstr("pods: 1 object\n"),
                               HasSubstr("poddisruptionbudgets: 0 objects\n")));
    EXPECT_THAT(folder.read("dump.json"), Not(HasSubstr("hush")));
    const Ran simulated = capstan("simulate --cluster '" + file + "'");
    EXPECT_EQ(simulated.code, 0) << simulated.err;
    EXPECT_THAT(simulated.err, Not(HasSubstr("in this dump"))) << "every kind was asked for";
    EXPECT_THAT(capstan("explain pod default/web --cluster '" + file + "'").out,
                HasSubstr("has a node: n1"));
}

TEST(DumpCommand, TellsOfAKindThatIsForbiddenAndSoDoesItsReader) {
    const Served served(
        simulation::ApiFault{.resource = "poddisruptionbudgets.policy", .status = 403},
        fill_small_cluster);
    const Folder folder;
    const std::string file = (folder.path() / "dump.json").string();
    const Ran ran = take_dump(served, file);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("poddisruptionbudgets: not taken: "));
    EXPECT_THAT(capstan("simulate --cluster '" + file + "'").err, HasSubstr("no pdb in this dump"));
}

TEST(DumpCommand, FailsWithoutNodesOrPods) {
    const Served served(simulation::ApiFault{.resource = "pods", .status = 403},
                        fill_small_cluster);
    const Folder folder;
    EXPECT_EQ(take_dump(served, (folder.path() / "dump.json").string()).code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "dump.json"));
}

}  // namespace
}  // namespace capstan::commands
