/// Makes the CloudView of groups and machines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <capstan/cloud_view.hpp>
#include <capstan/standing_warnings.hpp>

#include "../templates/price_table.hpp"
#include "group_lists.hpp"
#include "template_reader.hpp"

namespace capstan::gce {

/// [strand] Uses only what was read before; makes no call. A group that cannot be scaled is left
/// out with a warning in the log. If the settings name that group, it stays in the view as
/// unreadable.
class ViewMaker {
public:
    ViewMaker(const Host& host, const GroupLists& lists, TemplateReader& templates)
        : lists_(lists), templates_(templates), warnings_(host) {}

    /// `prices`: NULL if no prices are known.
    CloudView make(const PriceTable* prices);

private:
    /// Values that all machines of a group share.
    struct GroupContext {
        const std::string& id;
        const ListedGroup& listed;
        const InstanceTemplate* made_from = nullptr;  ///< NULL: not known
        const PriceTable* prices = nullptr;
        std::string fingerprint{};
        std::optional<GceMachineType> type{};
        std::map<std::pair<std::string, bool>, std::optional<Price>> known_prices{};
    };
    void add(const std::string& id, const ListedGroup& listed, const PriceTable* prices,
             CloudView& out);
    void add_unread(const std::string& id, const ListedGroup& listed, CloudView& out) const;
    NodeGroup make_group(GroupContext& context);
    Machine make_machine(GroupContext& context, const GroupMachine& machine) const;
    void leave_out(const std::string& id, const ListedGroup& listed, Error why, CloudView& out);
    void warn_of_group(const GroupContext& context);

    const GroupLists& lists_;
    TemplateReader& templates_;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
