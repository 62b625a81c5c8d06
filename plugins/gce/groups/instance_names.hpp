/// Names of instances that are asked for.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <capstan/host.hpp>

namespace capstan::gce {

/// "web-x1y2": the group's base name and four of [a-z0-9] by chance, as Google names instances.
/// None of them is taken, or twice among them. `unavailable`: there are hardly any left.
Result<std::vector<std::string>> choose_names(const Host& host, std::string base, std::size_t count,
                                              const std::set<std::string>& taken);

}  // namespace capstan::gce
