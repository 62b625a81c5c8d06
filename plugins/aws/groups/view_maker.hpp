/// Makes the CloudView of groups and machines.
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
#include "instance_addresses.hpp"
#include "purchase_options.hpp"
#include "template_reader.hpp"

namespace capstan::aws {

/// [strand] Uses only what was read before; makes no call. A group that cannot be scaled is left
/// out with a warning in the log. If the settings name that group, it stays in the view as
/// unreadable.
class ViewMaker {
public:
    struct Parts {
        const GroupLists& lists;
        const StaticLimits& limits;
        TemplateReader& templates;
        const FailedActivities* failures;  ///< NULL: failed activities are not used
        std::string cluster{};  ///< marks groups made for this cluster; empty: no group is marked
        /// The notice that AWS has given of an instance, by its id.
        std::function<std::optional<Leaving>(std::string_view)> find_notice;
        const InstanceAddresses& addresses;
    };
    ViewMaker(const Host& host, Parts parts) : parts_(std::move(parts)), warnings_(host) {}

    /// `prices`: NULL if no prices are known.
    CloudView make(const PriceTable* prices);

private:
    /// Values that all machines of a group share.
    struct GroupContext {
        const AutoScalingGroup& group;
        GroupTerms terms{};
        std::string fingerprint{};
        std::vector<std::string> types{};
        const PriceTable* prices = nullptr;
    };
    void add(const std::string& name, const ListedGroup& listed, const PriceTable* prices,
             CloudView& out);
    NodeGroup make_group(const GroupContext& context, const InstanceCounts& counts) const;
    void add_machines(const GroupContext& context, const ListedGroup& listed, CloudView& out) const;
    Machine make_machine(const GroupContext& context, const AsgInstance& instance) const;
    void add_placeholders(const GroupContext& context, const ListedGroup& listed,
                          CloudView& out) const;
    void leave_out(const std::string& name, Error why, CloudView& out);
    void warn_of_group(const AutoScalingGroup& group, const NodeGroup& made);

    const Parts parts_;
    StandingWarnings warnings_;
};

}  // namespace capstan::aws
