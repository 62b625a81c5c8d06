/// The names of AWS's regions, to find misspelled ones.
#pragma once

#include <string>
#include <string_view>

namespace capstan::aws {

/// A sentence about a region that is not in the list. Empty: it is. AWS may have newer regions.
std::string describe_unknown_region(std::string_view region);

}  // namespace capstan::aws
