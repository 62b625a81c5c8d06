/// The status of a Balancer, made from a decision.
#pragma once

#include <string>
#include <vector>

#include <capstan/json.hpp>

#include "decide.hpp"

namespace capstan::replicas {

/// The whole status. Every member is always there, so that a merge patch replaces the old values.
Json make_status(const Balancer& balancer, const Decision& decision, Time now);

/// Whether two JSON values are the same; the order of an object's members does not matter.
bool is_same(const Json& a, const Json& b);

/// "target a: ...; target b: ..."; empty: there are no problems.
std::string problems_text(const std::vector<Problem>& problems);
/// The message of the condition FallenBack while it is True: "2 replicas are moved to other
/// targets: pods do not start in a, b".
std::string fallback_text(const Decision& decision);
/// The message of the condition FallenBack while it is False.
std::string settled_text(const Decision& decision);

}  // namespace capstan::replicas
