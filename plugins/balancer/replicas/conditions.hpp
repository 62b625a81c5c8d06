/// The conditions of a Balancer's status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/json.hpp>
#include <capstan/time.hpp>

namespace capstan::replicas {

/// "Balancing": True while there are no problems, as upstream has it. When False, its reason and
/// message name them. Replicas that no target can take are a problem.
inline constexpr std::string_view balancing = "Balancing";
/// "FallenBack": True while replicas that do not start are asked of other targets.
inline constexpr std::string_view fallen_back = "FallenBack";

struct Condition {
    std::string type{};
    bool is_true = false;
    std::string reason{}, message{};
    std::int64_t observed_generation = 0;
    std::optional<Time> since{};  ///< lastTransitionTime
};

/// The condition of that type; absent: the status has none.
std::optional<Condition> find_condition(const Json& status, std::string_view type);
/// The condition as JSON. Its lastTransitionTime is the one in `status_before` when is_true is the
/// same there, and `now` otherwise; `condition.since` is not looked at.
Json write_condition(const Condition& condition, const Json& status_before, Time now);

}  // namespace capstan::replicas
