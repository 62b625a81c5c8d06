#include "group_limits.hpp"

#include <algorithm>

#include <capstan/sentence.hpp>

namespace capstan::aws {

StaticLimits::StaticLimits(const std::vector<StaticGroup>& groups) {
    for (const StaticGroup& group : groups) by_name_.try_emplace(group.name, group);
}

const StaticGroup* StaticLimits::find(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at != by_name_.end() ? &at->second : nullptr;
}

GroupLimits StaticLimits::of(const AutoScalingGroup& group) const {
    const StaticGroup* const setting = find(group.name);
    if (setting == nullptr) return {group.min, group.max};
    const int max = std::min(setting->max, group.max);
    return {std::min(std::max(setting->min, group.min), max), max};
}

std::vector<std::string> StaticLimits::find_conflicts(const AutoScalingGroup& group) const {
    const StaticGroup* const setting = find(group.name);
    if (setting == nullptr) return {};
    std::vector<std::string> out;
    const auto note = [&](const char* what, int wanted, int kept) {
        out.push_back("Auto Scaling group " + in_quotes(group.name) + ": the configured " + what +
                      " " + std::to_string(wanted) + " is outside the group's own limit " +
                      std::to_string(kept) + ", which AWS enforces");
    };
    if (setting->max > group.max) note("maximum", setting->max, group.max);
    if (setting->min < group.min) note("minimum", setting->min, group.min);
    return out;
}

std::vector<std::string> StaticLimits::names() const {
    std::vector<std::string> out;
    for (const auto& [name, group] : by_name_) out.push_back(name);
    return out;
}

}  // namespace capstan::aws
