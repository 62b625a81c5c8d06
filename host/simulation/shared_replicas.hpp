/// The Balancers of a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/time.hpp>

namespace capstan::simulation {

/// A Balancer, which distributes replicas over batches of pods. Only a live cluster has a
/// controller for it.
struct SharedReplicas {
    struct Target {
        std::string name{};  ///< a batch with a controller
        int weight = 1, min = 0;
        std::optional<int> max{};
    };
    std::string ns = "default";
    std::string name{};
    int replicas = 1;
    Labels labels{};        ///< they select the pods of all targets
    bool in_order = false;  ///< true: in the order of `targets`; false: by weight
    std::optional<Duration> startup_timeout{};
    std::vector<Target> targets{};
};

}  // namespace capstan::simulation
