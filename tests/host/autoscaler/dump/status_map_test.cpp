#include "autoscaler/dump/status_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/time_text.hpp>

namespace capstan::autoscaler::dump {
namespace {

TEST(StatusMap, HasNamesLimitsTargetsAndBackoffs) {
    const auto groups = parse_status(R"(time: 2026-11-01 11:59:55 +0000 UTC
autoscalerStatus: Running
nodeGroups:
- name: web
  health:
    status: Healthy
    nodeCounts: {registered: {total: 3}, longUnregistered: 1, unregistered: 1}
    cloudProviderTarget: 5
    minSize: 1
    maxSize: 10
  scaleUp: {status: NoActivity}
- name: batch
  health: {maxSize: "many"}
  scaleUp:
    status: Backoff
    backoffInfo: {errorCode: OutOfResource, errorMessage: none left}
    lastTransitionTime: "2026-11-01T11:58:00Z"
- health: {maxSize: 3}
)");
    ASSERT_TRUE(groups) << groups.error().message;
    const std::vector<StatusGroup> expected{
        {.name = "web", .min = 1, .max = 10, .target = 4},
        {.name = "batch",
         .backoff = StatusGroup::Backoff{.code = "OutOfResource",
                                         .message = "none left",
                                         .since = find_rfc3339("2026-11-01T11:58:00Z")}}};
    EXPECT_EQ(*groups, expected);
}

TEST(StatusMap, IsRefusedWithoutAListOfGroups) {
    for (const char* text : {"", "autoscalerStatus: Initializing", "nodeGroups: 3", "a: [",
                             "Cluster-autoscaler status at 2023:\nNodeGroups:\n  Name: web\n"})
        EXPECT_FALSE(parse_status(text)) << text;
}

}  // namespace
}  // namespace capstan::autoscaler::dump
