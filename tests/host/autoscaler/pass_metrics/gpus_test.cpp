#include "autoscaler/pass_metrics/gpus.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::pass_metrics {

void PrintTo(const Gpu& gpu, std::ostream* out) { *out << gpu.resource << " " << gpu.name; }

namespace {

const NodeGroupId a("a");
const Labels t4{{"k8s.amazonaws.com/accelerator", "nvidia-tesla-t4"}};
const Resources two_gpus{{"cpu", 4000}, {"nvidia.com/gpu", 2}};
const Resources no_gpus{{"cpu", 4000}};

struct NodeShape {
    Labels labels{};
    Resources capacity{};
};

/// Group a with node n1; without `described` the group has no template.
engine::Snapshot snapshot(const NodeShape& node, const std::optional<NodeShape>& described = {}) {
    engine::Group group{.group = {.id = a}};
    group.machines.push_back({.id = MachineId("n1"), .group = a});
    if (described) {
        group.described = std::make_shared<const NodeTemplate>(
            NodeTemplate{.labels = described->labels, .capacity = described->capacity});
    }
    engine::snapshot::ClusterBuilder builder;
    builder.set(engine::snapshot::NodeObject{
        .name = "n1", .provider_id = "n1", .labels = node.labels, .capacity = node.capacity});
    return {builder.build(), std::make_shared<const std::vector<engine::Group>>(1, group)};
}

TEST(GpuOfNode, IsNamedByItsLabel) {
    EXPECT_EQ(gpu_of_node(snapshot({t4, two_gpus}), "n1", a),
              (Gpu{"nvidia.com/gpu", "nvidia-tesla-t4"}));
    EXPECT_EQ(gpu_of_node(snapshot({{}, two_gpus}), "n1", a), (Gpu{"nvidia.com/gpu", "generic"}));
    EXPECT_EQ(gpu_of_node(snapshot({{{"accelerator", ""}}, two_gpus}), "n1", a),
              (Gpu{"nvidia.com/gpu", "generic"}))
        << "an empty label";
    EXPECT_EQ(gpu_of_node(snapshot({{}, {{"amd.com/gpu", 1}}}), "n1", a),
              (Gpu{"amd.com/gpu", "generic"}));
}

TEST(GpuOfNode, IsMissingOrUnexpectedIfOnlyALabelExists) {
    EXPECT_EQ(gpu_of_node(snapshot({t4, no_gpus}, NodeShape{t4, two_gpus}), "n1", a),
              (Gpu{"nvidia.com/gpu", "missing-gpu"}));
    EXPECT_EQ(gpu_of_node(snapshot({t4, no_gpus}, NodeShape{t4, no_gpus}), "n1", a),
              (Gpu{"nvidia.com/gpu", "unexpected-label"}));
}

TEST(GpuOfGroup, IsThatOfItsTemplateOrItsNodes) {
    EXPECT_EQ(gpu_of_group(snapshot({{}, no_gpus}, NodeShape{t4, two_gpus}), a),
              (Gpu{"nvidia.com/gpu", "nvidia-tesla-t4"}));
    EXPECT_EQ(gpu_of_group(snapshot({t4, two_gpus}), a),
              (Gpu{"nvidia.com/gpu", "nvidia-tesla-t4"}));
    EXPECT_EQ(gpu_of_node(snapshot({t4, two_gpus}), "gone", a),
              (Gpu{"nvidia.com/gpu", "nvidia-tesla-t4"}));
}

TEST(GpuOfNode, IsEmptyWithoutGpuResources) {
    EXPECT_EQ(gpu_of_node(snapshot({{}, no_gpus}), "n1", a), Gpu{});
    EXPECT_EQ(gpu_of_node(snapshot({{}, {{"nvidia.com/gpu", 0}}}), "n1", a), Gpu{});
    EXPECT_EQ(gpu_of_group(snapshot({t4, two_gpus}), NodeGroupId("unknown")), Gpu{});
}

}  // namespace
}  // namespace capstan::autoscaler::pass_metrics
