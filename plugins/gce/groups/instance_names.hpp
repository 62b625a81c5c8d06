/// Chooses names of new instances.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <capstan/host.hpp>

namespace capstan::gce {

/// "web-x1y2": the group's base name and four random characters of [a-z0-9], as Google names
/// instances. The names are distinct and not in `taken`. `unavailable`: hardly any names are left.
Result<std::vector<std::string>> choose_names(const Host& host, std::string base, std::size_t count,
                                              const std::set<std::string>& taken);

}  // namespace capstan::gce
