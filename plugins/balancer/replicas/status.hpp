/// What a Balancer's status says.
#pragma once

#include <string>
#include <vector>

#include <capstan/json.hpp>

#include "decide.hpp"

namespace capstan::replicas {

/// The whole status, every member always there, so that a merge patch replaces what was.
Json make_status(const Balancer& balancer, const Decision& decision, Time now);

/// Whether two values are the same, whatever the order of members.
bool is_same(const Json& a, const Json& b);

/// "scale target a: forbidden; target b: ..."; empty: there is none.
std::string troubles_text(const std::vector<Problem>& troubles);
/// "2 replicas are asked of others, for pods of a, b do not start"
std::string fallback_text(const Decision& decision);
/// The same where none is.
std::string settled_text(const Decision& decision);

}  // namespace capstan::replicas
