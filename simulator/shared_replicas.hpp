/// The Balancers of a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/time.hpp>

namespace capstan::simulator {

/// A Balancer, which distributes replicas over batches of pods.
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

/// A Balancer and its targets at one moment.
struct BalancerState {
    struct Target {
        std::string name{};
        std::string workload{};  ///< WorkloadState::id
        int min = 0;
        std::optional<int> max{};
        std::optional<int> wanted{};  ///< replicas that it is asked for; absent: it does not exist
        int waiting = 0;              ///< pods that are not ready, or do not exist yet
    };
    std::string name{};  ///< "shop/web"
    int replicas = 1;    ///< of all targets together
    std::vector<Target> targets{};
    bool is_served = true;  ///< false: its controller is not called, or cannot reach the cluster
};

}  // namespace capstan::simulator
