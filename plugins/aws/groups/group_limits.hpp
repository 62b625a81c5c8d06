/// Between which sizes a group may be scaled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../api/auto_scaling.hpp"
#include "group_spec.hpp"

namespace capstan::aws {

struct GroupLimits {
    int min = 0, max = 0;
    bool operator==(const GroupLimits&) const = default;
};

/// Of groups by name, as the settings have them; the first of several with one name counts.
class StaticLimits {
public:
    StaticLimits() = default;
    explicit StaticLimits(const std::vector<StaticGroup>& groups);

    /// The settings' limits, or the group's own. AWS keeps to the group's in any case, so the
    /// settings can only be narrower.
    GroupLimits of(const AutoScalingGroup& group) const;
    /// NULL: the settings do not name it.
    const StaticGroup* find(const std::string& name) const;
    /// What of the settings AWS would not take, in sentences.
    std::vector<std::string> find_conflicts(const AutoScalingGroup& group) const;
    std::vector<std::string> names() const;

private:
    std::map<std::string, StaticGroup> by_name_{};
};

}  // namespace capstan::aws
