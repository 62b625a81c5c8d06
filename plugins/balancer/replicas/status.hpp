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

/// "scale target a: forbidden; target b: ..."; empty: there are no problems.
std::string problems_text(const std::vector<Problem>& problems);
/// "2 replicas are asked of others, for pods of a, b do not start"
std::string fallback_text(const Decision& decision);
/// The text of the same condition while no replica is asked of others.
std::string settled_text(const Decision& decision);

}  // namespace capstan::replicas
