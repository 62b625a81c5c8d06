/// [simulate]: what a simulation of a cluster dump cannot read from the dump. Each key's meaning,
/// type and default is defined here alone; see section.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/section.hpp"

namespace capstan::config {

/// Absent: as the dump says.
struct DumpedGroup {
    std::optional<int> min, max;
    std::optional<double> price_per_hour;
};
void describe(auto&& key, DumpedGroup& s) {
    key("min", s.min, "Minimum size. Unset: that of the status ConfigMap, or 0.");
    key("max", s.max, "Maximum size. Unset: that of the status ConfigMap, or no limit.");
    key("price_per_hour", s.price_per_hour,
        "Price of one machine. Unset: that of the cloud's price_file, or unknown.",
        {.min = 0, .max = 1e6});
}

struct Simulate {
    std::map<std::string, DumpedGroup> group;
};
void describe(auto&& key, Simulate& s) {
    key("group", s.group,
        "Node groups of a cluster dump, by id, such as { \"web-a\" = { max = 10 } }. They replace "
        "what the dump says about the group.");
}

}  // namespace capstan::config
