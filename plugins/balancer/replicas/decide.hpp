/// The decision for one Balancer: from what was read to what is to be written. A pure function.
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
    std::string selector{};  ///< status.selector, as text; empty: the Scale has none
    Json object{};           ///< as the API server sent it
    KubeResource resource{};
};

/// The answer of the API server when a target's Scale was read.
struct Reading {
    std::optional<Scale> scale{};
    std::optional<Error> error{};   ///< why the scale is unknown
    std::optional<Scale> before{};  ///< the Scale of the last successful read
};

/// What the status says of a target.
struct TargetState {
    std::string name{};
    std::int64_t desired = 0;                ///< the replicas that it is to have in the end
    std::optional<std::int64_t> replicas{};  ///< its Scale's spec.replicas; absent: unknown
    PodCounts pods{};
    bool knows_pods = false;  ///< false: as many ready pods as `replicas` are assumed
};

struct Decision {
    bool is_placed = false;  ///< the policy is valid, and `placement` follows it
    Placement placement{};
    Steps steps{};
    std::int64_t stuck = 0;              ///< growth of targets that cannot be written
    std::int64_t observed = 0;           ///< pods that the Balancer's selector matches
    std::vector<TargetState> targets{};  ///< in the Balancer's order
    std::vector<Problem> problems{};     ///< those of the Balancer object come first
    std::optional<Time> next_due{};      ///< when the decision may change without an event
};

/// The targets whose replicas do not start: they have blocked pods, or their Scale cannot be read.
/// "a, b"; empty: there is none.
std::string names_not_starting(const std::vector<TargetState>& targets);

/// `readings` has one entry for each of the Balancer's targets, in their order.
Decision decide(const Balancer& balancer, const std::vector<Reading>& readings, const Pods& pods,
                const Config& config, Time now);

}  // namespace capstan::replicas
