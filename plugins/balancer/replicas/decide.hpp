/// One Balancer, decided: from what was read of it to what is to be written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/kube_request.hpp>

#include "balancer.hpp"
#include "placement.hpp"
#include "pods.hpp"
#include "settings.hpp"
#include "steps.hpp"

namespace capstan::replicas {

/// A target's Scale.
struct Scale {
    std::int64_t replicas = 0;
    std::string selector{};  ///< as text; empty: it names none
    Json object{};           ///< as the server sent it
    KubeResource resource{};
};

struct Reading {
    std::optional<Scale> scale{};
    std::optional<Error> error{};   ///< why there is none
    std::optional<Scale> before{};  ///< the last one that could be read
};

/// What is told of a target.
struct TargetState {
    std::string name{};
    std::int64_t desired = 0;                ///< what it is to have in the end
    std::optional<std::int64_t> replicas{};  ///< what its Scale asks for; nothing: unknown
    PodCounts pods{};
    bool knows_pods = false;  ///< else they are taken to be there, and ready
};

struct Decision {
    bool is_placed = false;  ///< the policy could be followed
    Placement placement{};
    Steps steps{};
    std::int64_t stuck = 0;  ///< growth of targets that cannot be written
    std::int64_t observed = 0;
    std::vector<TargetState> targets{};  ///< in the Balancer's order
    std::vector<Problem> troubles{};     ///< the Balancer's own first
    std::optional<Time> next_due{};      ///< something changes then without an event
};

/// `readings`: one for each of the Balancer's targets, in their order.
Decision decide(const Balancer& balancer, const std::vector<Reading>& readings, const Pods& pods,
                const Config& config, Time now);

}  // namespace capstan::replicas
