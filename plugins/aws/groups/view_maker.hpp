/// The groups and machines of a view.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/cloud_view.hpp>
#include <capstan/standing_warnings.hpp>

#include "../templates/price_table.hpp"
#include "failed_activities.hpp"
#include "group_limits.hpp"
#include "group_lists.hpp"
#include "group_terms.hpp"
#include "template_reader.hpp"

namespace capstan::aws {

/// [strand] Told from what was read; makes no call. A group that cannot be scaled is left out and
/// said in the log, and one that the settings name stays, unreadable.
class ViewMaker {
public:
    struct Parts {
        const GroupLists& lists;
        const StaticLimits& limits;
        TemplateReader& templates;
        const FailedActivities* failures;  ///< NULL: they are not looked at
        std::string cluster{};             ///< of groups that were made for it; empty: none were
        /// Whether AWS has given notice of an instance.
        std::function<std::optional<Leaving>(std::string_view)> find_notice;
    };
    ViewMaker(const Host& host, Parts parts) : parts_(std::move(parts)), warnings_(host) {}

    /// `prices`: NULL: none are known.
    CloudView make(const PriceTable* prices);

private:
    /// What the machines of a group have in common.
    struct GroupContext {
        const AutoScalingGroup& group;
        GroupTerms terms{};
        std::string fingerprint{};
        std::vector<std::string> types{};
        const PriceTable* prices = nullptr;
    };
    void add(const std::string& name, const ListedGroup& listed, const PriceTable* prices,
             CloudView& out);
    NodeGroup make_group(const GroupContext& context) const;
    void add_machines(const GroupContext& context, const ListedGroup& listed, CloudView& out) const;
    Machine make_machine(const GroupContext& context, const AsgInstance& instance) const;
    void add_placeholders(const GroupContext& context, const ListedGroup& listed,
                          CloudView& out) const;
    void leave_out(const std::string& name, Error why, CloudView& out);
    void tell_group(const AutoScalingGroup& group, const NodeGroup& told);

    const Parts parts_;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
