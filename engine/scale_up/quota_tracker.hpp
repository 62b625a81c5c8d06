/// How many nodes a pass has granted to each group so far, and how many more the maxima and limits
/// allow. It is a value: assigning an earlier copy takes grants back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/limits/limits.hpp"
#include "engine/pass_context/pass_context.hpp"

namespace capstan::engine::scale_up {

/// Borrows the context.
class QuotaTracker {
public:
    explicit QuotaTracker(const pass_context::PassContext& context);

    int grown(GroupIndex group) const noexcept { return grown_[group]; }
    /// Nodes up to the group's maximum, regardless of other obstacles.
    int room(GroupIndex group) const noexcept {
        return context_->headrooms[group].nodes - grown_[group];
    }
    /// Why the group cannot grow by even one node, or, if it is atomic, as a whole; none: it can.
    /// The limits of the cluster are among the reasons.
    Reason obstacle(GroupIndex group) const;
    /// The total ("cpu") with the limit that is the only obstacle; empty: there is another one, or
    /// none.
    std::string total_at_limit(GroupIndex group) const;
    /// How many of `wanted` nodes the limits of the cluster allow.
    limits::Allowed allows(GroupIndex group, int wanted) const;
    /// How many of `wanted` nodes that are in no group the limits of the cluster allow.
    limits::Allowed allows(const NodeTemplate& node, int wanted) const {
        return budget_.allows(node, wanted);
    }
    /// The room within each limit of the cluster, by its name.
    Resources left() const { return budget_.left(); }

    /// Whether the group would have to be made first.
    bool is_new(GroupIndex group) const;
    /// How many groups may still be made; absent: any number.
    std::optional<int> new_groups_left() const;

    /// Grants nodes to the group.
    void take(GroupIndex group, int nodes);
    /// Takes granted nodes back.
    void give_up(GroupIndex group, int nodes);
    /// Frees the room of machines that were requested before this pass and will not come.
    void release(GroupIndex group, int nodes);
    /// Whether a machine of the group counts towards the total ("cpu").
    bool counts_in(GroupIndex group, std::string_view total) const;
    /// The group does not grow any more in this pass.
    void close(GroupIndex group, Reason because) { closed_[group] = std::move(because); }

private:
    /// The smallest growth of a group that has room and was not closed, and how much of it the
    /// limits allow.
    struct Least {
        int nodes = 0;
        limits::Allowed allowed{};
    };
    Least least_growth(GroupIndex group) const;

    const pass_context::PassContext* context_;
    limits::Budget budget_;
    int groups_ = 0;          // existing and upcoming groups, and groups that this pass makes
    std::vector<int> grown_;  // by group
    std::map<GroupIndex, Reason> closed_;
};

/// The different templates of the groups that may grow.
std::vector<TemplateNodeId> growing_template_nodes(const pass_context::PassContext& context,
                                                   const QuotaTracker& quotas);

}  // namespace capstan::engine::scale_up
