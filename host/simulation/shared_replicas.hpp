/// Balancers of a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/time.hpp>

namespace capstan::simulation {

/// A Balancer over workloads of batches. Only a live cluster has a controller for it.
struct SharedReplicas {
    struct Target {
        std::string name{};  ///< of a batch with a controller
        int weight = 1, min = 0;
        std::optional<int> max{};
    };
    std::string ns = "default";
    std::string name{};
    int replicas = 1;
    Labels labels{};        ///< of the pods of all targets
    bool in_order = false;  ///< each target gets what it may before the next one; else by weight
    std::optional<Duration> startup_timeout{};
    std::vector<Target> targets{};
};

}  // namespace capstan::simulation
