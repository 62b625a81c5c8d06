/// Which groups of a project the settings select, and with which limits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "../api/managed_groups.hpp"
#include "group_settings.hpp"

namespace capstan::gce {

struct GroupLimits {
    int min = 0, max = 0;
    bool operator==(const GroupLimits&) const = default;
};

enum class Origin : std::uint8_t {
    named,       ///< the settings name the group; a missing one is reported as unreadable
    discovered,  ///< the name matches an expression of `discovery`
    candidate,   ///< auto-provisioning may have made the group, by its name
};

struct Choice {
    Origin origin = Origin::discovered;
    GroupLimits limits{};
    bool operator==(const Choice&) const = default;
};

struct ChoiceConfig {
    std::string project{};  ///< of discovery and auto-provisioning
    std::vector<DiscoverySpec> discovery{};
    std::vector<StaticGroup> groups{};     ///< if several are for one group, the first counts
    std::vector<std::string> locations{};  ///< zones and regions of discovery; empty: all
    std::string cluster{};                 ///< of auto-provisioning
    std::optional<int> made_max{};  ///< maximum size of groups that are made; absent: none are
};

/// Immutable. A MIG has no limits of its own, so the settings give them: the limits of the group's
/// own entry, or else of the first discovery expression that matches the group's name.
class GroupChoice {
public:
    explicit GroupChoice(ChoiceConfig config);

    /// Absent if the settings do not select the group. Only the link of `row` is used.
    std::optional<Choice> choose(const ManagedGroup& row) const;
    /// Whether discovery or auto-provisioning may find groups in that place.
    bool looks_at(const std::string& project, const Place& place) const;
    /// Whether auto-provisioning may have made the group, by its name. Its instance template
    /// decides.
    bool may_be_made(const ManagedGroup& row) const;
    GroupLimits made_limits() const noexcept { return {0, config_.made_max.value_or(0)}; }
    /// The groups that the settings name, by id.
    const std::map<std::string, StaticGroup>& named() const noexcept { return named_; }
    /// The projects in which groups may be selected, ascending.
    std::vector<std::string> projects() const;

private:
    struct Rule {
        std::shared_ptr<const re2::RE2> begins{};
        GroupLimits limits{};
    };
    bool finds_more() const noexcept { return !rules_.empty() || config_.made_max.has_value(); }

    ChoiceConfig config_;
    std::vector<Rule> rules_{};
    std::map<std::string, StaticGroup> named_{};
};

}  // namespace capstan::gce
