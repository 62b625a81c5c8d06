/// GPUs and TPUs of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>

#include "group_template.hpp"

namespace capstan::gce {

inline constexpr std::string_view gke_accelerator_label = "cloud.google.com/gke-accelerator";

/// The accelerators that the instance template attaches, or else those bundled with the machine
/// type.
std::vector<TemplateAccelerator> accelerators_of(const InstanceTemplate& from,
                                                 const std::optional<GceMachineType>& type);

/// The amount of `nvidia.com/gpu` of the node. Each card counts once for each client of each
/// partition, as GKE's labels state them.
///
///     cloud.google.com/gke-gpu-sharing-strategy = time-sharing (or mps)
///     cloud.google.com/gke-max-shared-clients-per-gpu = 8
///     cloud.google.com/gke-gpu-partition-size = 1g.5gb      (7 on an A100 with 40 GB)
std::int64_t count_gpus(const std::vector<TemplateAccelerator>& accelerators, const Labels& labels,
                        std::vector<std::string>& warnings);

}  // namespace capstan::gce
