/// Which of a project's groups are meant, and between which sizes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "../api/managed_groups.hpp"
#include "group_spec.hpp"

namespace capstan::gce {

struct GroupLimits {
    int min = 0, max = 0;
    bool operator==(const GroupLimits&) const = default;
};

enum class Origin : std::uint8_t {
    named,       ///< by the settings; listed whether or not it exists
    discovered,  ///< by the beginning of its name
    candidate,   ///< its name is as those of groups that provisioning makes
};

struct Choice {
    Origin origin = Origin::discovered;
    GroupLimits limits{};
    bool operator==(const Choice&) const = default;
};

struct ChoiceConfig {
    std::string project{};  ///< of discovery and of groups that are made
    std::vector<DiscoverySpec> discovery{};
    std::vector<StaticGroup> groups{};     ///< of several for one group the first counts
    std::vector<std::string> locations{};  ///< of discovery: zones and regions; none: all
    std::string cluster{};                 ///< that groups are made for
    std::optional<int> made_max{};  ///< the maximum of groups that are made; nothing: none are
};

/// Immutable. Google's groups have no limits of their own, so those of the settings count: of a
/// group that is named its own, otherwise of the first expression that its name suits.
class GroupChoice {
public:
    explicit GroupChoice(ChoiceConfig config);

    /// Nothing: it is none of ours. Of the row only links count.
    std::optional<Choice> choose(const ManagedGroup& row) const;
    /// Whether groups in that place may be found without being named.
    bool looks_at(const std::string& project, const Place& place) const;
    /// Whether provisioning may have made it, by its name; its instance template decides.
    bool may_be_made(const ManagedGroup& row) const;
    GroupLimits made_limits() const noexcept { return {0, config_.made_max.value_or(0)}; }
    /// By id.
    const std::map<std::string, StaticGroup>& named() const noexcept { return named_; }
    /// Those whose groups are to be listed, by name.
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
