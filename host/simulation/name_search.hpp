/// The object that a typed name means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::simulation {

/// The name itself where there is one of it; else the only one that goes on after it with a dot
/// ("ip-10-0-1-17" for "ip-10-0-1-17.ec2.internal"), else the only one that begins with it.
/// `not_found` otherwise: `unknown`, and what may be meant, or which names there are. `names`
/// ascend.
///     "no pass saw a node 'n'; several begin so: n1, n2"
Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown);

}  // namespace capstan::simulation
