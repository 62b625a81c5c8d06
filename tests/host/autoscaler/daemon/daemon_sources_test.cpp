#include "autoscaler/daemon/daemon_sources.hpp"

#include <gmock/gmock.h>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

TEST(DaemonSources, ListAbsentPluginsAndWarningsForReadyz) {
    EXPECT_EQ(describe_shortcomings("", nullptr), "");
    EXPECT_EQ(describe_shortcomings("plugin aws", nullptr), "plugin aws");
    PassReport pass(PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                                           std::make_shared<const std::vector<engine::Group>>()}});
    EXPECT_EQ(describe_shortcomings("plugin aws", &pass), "plugin aws");
    pass.result.outcome.decision.warnings = {"group a: x", "group b: y"};
    EXPECT_EQ(describe_shortcomings("", &pass), "group a: x\ngroup b: y");
    EXPECT_EQ(describe_shortcomings("plugin aws", &pass), "plugin aws\ngroup a: x\ngroup b: y");
}

TEST(DaemonSources, NameAMemoryThatIsNotWrittenForReadyz) {
    EXPECT_EQ(describe_unwritten_memory(nullptr), "");
    PassReport pass(PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                                           std::make_shared<const std::vector<engine::Group>>()}});
    EXPECT_EQ(describe_unwritten_memory(&pass), "");
    pass.unwritten_because = "write ConfigMap ns/m: forbidden";
    EXPECT_EQ(describe_unwritten_memory(&pass),
              "memory cannot be written, so nothing is ordered: write ConfigMap ns/m: forbidden");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
