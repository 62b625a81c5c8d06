#include <gmock/gmock.h>

#include "autoscaler/daemon/status_writer.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

const Time written_at = time_from_unix_ns(1'750'000'000'000'000'000) + 250ms;

TEST(StatusText, HasUpstreamsFormat) {
    const StatusPart part{.health = {"Healthy", written_at - 1h},
                          .scale_up = {"NoActivity", written_at - 2h},
                          .scale_down = {"CandidatesPresent", written_at},
                          .nodes = {.ready = 2, .unready = 1, .starting = 1, .suspended = 1},
                          .unjoined = 3,
                          .candidates = 1};
    EXPECT_EQ(status_text({.at = written_at, .cluster = part}),
              "time: 2025-06-15 15:06:40.25 +0000 UTC\n"
              "autoscalerStatus: Running\n"
              "clusterWide:\n"
              "  health:\n"
              "    status: Healthy\n"
              "    nodeCounts:\n"
              "      registered:\n"
              "        total: 5\n"
              "        ready: 2\n"
              "        notStarted: 1\n"
              "        suspended: 1\n"
              "        unready:\n"
              "          total: 1\n"
              "          resourceUnready: 0\n"
              "      longUnregistered: 0\n"
              "      unregistered: 3\n"
              "    lastProbeTime: \"2025-06-15T15:06:40.25Z\"\n"
              "    lastTransitionTime: \"2025-06-15T14:06:40.25Z\"\n"
              "  scaleUp:\n"
              "    status: NoActivity\n"
              "    lastProbeTime: \"2025-06-15T15:06:40.25Z\"\n"
              "    lastTransitionTime: \"2025-06-15T13:06:40.25Z\"\n"
              "  scaleDown:\n"
              "    status: CandidatesPresent\n"
              "    candidates: 1\n"
              "    lastProbeTime: \"2025-06-15T15:06:40.25Z\"\n"
              "    lastTransitionTime: \"2025-06-15T15:06:40.25Z\"\n");
}

TEST(StatusText, ListsGroupsWithTheirBackoff) {
    GroupStatus group{.name = "eu-1/web", .target = 3, .min = 1, .max = 5};
    group.part.health = group.part.scale_up = group.part.scale_down = {"Backoff", written_at};
    group.part.nodes.deleted = 1;
    group.backoff = StatusBackoff{"quota", "no \"large\" left:\nask again"};
    const std::string text = status_text({.at = written_at, .groups = {group}});
    EXPECT_THAT(text, HasSubstr("nodeGroups:\n- name: eu-1/web\n  health:\n    status: Backoff\n"));
    EXPECT_THAT(text, HasSubstr("        beingDeleted: 1\n"));
    EXPECT_THAT(text, HasSubstr("    cloudProviderTarget: 3\n    minSize: 1\n    maxSize: 5\n"));
    EXPECT_THAT(text, HasSubstr("    backoffInfo:\n      errorCode: quota\n      errorMessage: "
                                "\"no \\\"large\\\" left:\\x0aask again\"\n"));
}

/// `count` healthy and idle groups.
ClusterStatus status_of_groups(int count) {
    ClusterStatus out{.at = written_at};
    for (int i = 0; i < count; ++i) {
        const std::string digits = std::to_string(10'000 + i);
        GroupStatus group{.name = "group-" + digits.substr(1), .target = 1, .max = 5};
        group.part.health = {"Healthy", written_at};
        group.part.scale_up = {"NoActivity", written_at};
        group.part.scale_down = {"NoCandidates", written_at};
        out.groups.push_back(group);
    }
    return out;
}

TEST(StatusText, OmitsIdleGroupsIfThereIsNoRoom) {
    ClusterStatus status = status_of_groups(10'000);
    status.groups[9'000].part.health.status = "Unhealthy";
    status.groups[9'001].part.candidates = 2;
    const std::string text = status_text(status);
    EXPECT_LE(text.size(), status_text_max);
    EXPECT_GT(text.size(), status_text_max - 2'000);
    EXPECT_THAT(text, HasSubstr("nodeGroups:\n- name: group-9000\n"));
    EXPECT_LT(text.find("name: group-9001\n"), text.find("name: group-0000\n"));
    std::size_t shown = 0;
    for (std::size_t at = 0; (at = text.find("- name: ", at)) != std::string::npos; ++at) ++shown;
    EXPECT_THAT(
        text, HasSubstr("autoscalerStatus: Running\nmessage: \"" + std::to_string(10'000 - shown) +
                        " more groups not shown, all healthy and idle\"\n"));
}

TEST(StatusText, CountsOmittedGroupsThatAreNotIdle) {
    ClusterStatus status = status_of_groups(20);
    for (GroupStatus& group : status.groups) group.part.health.status = "Unhealthy";
    const std::string one = status_text(status_of_groups(1)),
                      none = status_text(status_of_groups(0));
    const std::size_t most = none.size() + 1'000 + 3 * (one.size() - none.size());
    const std::string text = status_text(status, most);
    EXPECT_LE(text.size(), most);
    EXPECT_THAT(text, HasSubstr("of them unhealthy, backed off or changing\"\n"));
    EXPECT_THAT(text, HasSubstr("- name: group-0000\n"));
}

TEST(StatusText, ReportsWhetherTheConfigurationIsInForce) {
    ClusterStatus status{.at = written_at, .config = ConfigStatus{.taken_over = written_at - 1h}};
    EXPECT_THAT(status_text(status), HasSubstr("configuration:\n"
                                               "  inForce: true\n"
                                               "  takenOver: \"2025-06-15T14:06:40.25Z\"\n"
                                               "clusterWide:\n"));
    status.config->refusal = "capstan.toml:3:1: unknown key\ncapstan.toml:4:1: another\n";
    status.config->since = written_at;
    EXPECT_THAT(status_text(status),
                HasSubstr("  inForce: false\n  takenOver: \"2025-06-15T14:06:40.25Z\"\n  since: "
                          "\"2025-06-15T15:06:40.25Z\"\n  message: \"file has errors: "
                          "capstan.toml:3:1: unknown key; capstan.toml:4:1: another\"\n"));
}

TEST(StatusText, ReportsInitialization) {
    EXPECT_EQ(initializing_text("Initializing", written_at),
              "time: 2025-06-15 15:06:40.25 +0000 UTC\n"
              "autoscalerStatus: Initializing\n"
              "message: Initializing\n");
}

/// A pass over one empty group.
PassReport pass_at(Time at, engine::Memory memory) {
    const engine::Group group{.group = {.id = NodeGroupId("web"), .min = 0, .max = 5, .target = 0}};
    PassReport out(
        PassInput{.snapshot = {engine::snapshot::ClusterBuilder().build(),
                               std::make_shared<const std::vector<engine::Group>>(1, group)}});
    out.memory = std::move(memory);
    out.at = at;
    return out;
}

ClusterStatus status_of(const PassReport& pass, StatusMaker& maker) {
    return maker.make(pass, health_after(pass));
}

TEST(StatusMakerTest, KeepsTransitionTimes) {
    StatusMaker maker;
    EXPECT_EQ(status_of(pass_at(written_at, {}), maker).groups.at(0).part.scale_up.status,
              "NoActivity");
    engine::Memory growing;
    growing.requests[NodeGroupId("web")] = {
        .since = written_at, .deadline = written_at + 15min, .increase = 1};
    const ClusterStatus second = status_of(pass_at(written_at + 10s, growing), maker);
    EXPECT_EQ(second.groups.at(0).part.scale_up.status, "InProgress");
    EXPECT_EQ(second.groups.at(0).part.scale_up.transition, written_at + 10s);
    EXPECT_EQ(second.cluster.scale_up.status, "InProgress");
    EXPECT_EQ(second.groups.at(0).part.health.transition, written_at);
    const ClusterStatus third = status_of(pass_at(written_at + 20s, growing), maker);
    EXPECT_EQ(third.cluster.scale_up.transition, written_at + 10s);
}

TEST(StatusMakerTest, HasTheBackoffOfAGroup) {
    engine::Memory memory;
    memory.backoffs[NodeGroupId("web")] = {.since = written_at,
                                           .until = written_at + 5min,
                                           .code = ErrorCode::quota,
                                           .because = "no quota"};
    StatusMaker maker;
    const ClusterStatus status = status_of(pass_at(written_at, memory), maker);
    ASSERT_TRUE(status.groups.at(0).backoff);
    EXPECT_EQ(status.groups[0].part.scale_up.status, "Backoff");
    EXPECT_EQ(status.groups[0].backoff->message, "no quota");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
