/// Parses the document that upstream keeps in its ConfigMap.
#pragma once

#include <string>

#include "tiers.hpp"

namespace capstan::expanders {

/// A map of priorities to lists of regular expressions, at least one entry, an empty list allowed:
///     10:
///       - .*t2\.large.*
///     50:
///       - .*m4\.4xlarge.*
/// Also accepts a whole ConfigMap with `kind` and `data`, and that document under the key
/// `priorities`. The error names line and column in the document.
Result<Tiers> parse_priorities_yaml(const std::string& document);

}  // namespace capstan::expanders
