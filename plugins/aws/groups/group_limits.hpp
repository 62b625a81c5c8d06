/// The minimum and maximum size of a group.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../api/auto_scaling.hpp"
#include "group_settings.hpp"

namespace capstan::aws {

struct GroupLimits {
    int min = 0, max = 0;
    bool operator==(const GroupLimits&) const = default;
};

/// Limits that the setting `groups` gives to groups by name. If several entries have one name, the
/// first counts.
class StaticLimits {
public:
    StaticLimits() = default;
    explicit StaticLimits(const std::vector<StaticGroup>& groups);

    /// The settings' limits, cut to the group's own; without a setting, the group's own limits. AWS
    /// enforces the group's own limits in any case.
    GroupLimits of(const AutoScalingGroup& group) const;
    /// NULL if the settings do not name the group.
    const StaticGroup* find(const std::string& name) const;
    /// A sentence for each of the settings' limits that lies outside the group's own.
    std::vector<std::string> find_conflicts(const AutoScalingGroup& group) const;
    std::vector<std::string> names() const;

private:
    std::map<std::string, StaticGroup> by_name_{};
};

}  // namespace capstan::aws
