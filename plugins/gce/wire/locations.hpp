/// The names of Google Cloud's regions and zones, to find misspelled ones.
#pragma once

#include <string>
#include <string_view>

namespace capstan::gce {

/// A sentence about a region, or a zone of a region, that is not in the list. Empty: it is. Google
/// Cloud may have newer regions.
std::string describe_unknown_location(std::string_view location);

}  // namespace capstan::gce
