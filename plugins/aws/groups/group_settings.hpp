/// Parses the settings that select groups: `min:max:name`, and tag expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

struct StaticGroup {
    int min = 0, max = 0;
    std::string name{};
    bool operator==(const StaticGroup&) const = default;
};

/// Parses "0:10:web". An error message: "minimum 5 is above maximum 3".
Result<StaticGroup> parse_static_group(std::string_view text);

/// Parses "k", "k=v" or "k=v,k2", with or without cluster-autoscaler's prefix "asg:tag=". A group
/// matches if it has all of the tags. A value ends at the next comma and may be empty. A key that
/// begins with "asg:", "mig:" or "label:" needs the prefix, since it looks like a malformed prefix.
Result<std::vector<TagFilter>> parse_tag_expression(std::string_view text);

/// "k=v,k2"
std::string format_tags(const std::vector<TagFilter>& tags);

}  // namespace capstan::aws
