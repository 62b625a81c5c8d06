/// What a pass has granted so far, and what that leaves to grant. A value: a copy is a way back.
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

    int grown(pass_context::GroupIndex group) const noexcept { return grown_[group]; }
    /// Nodes up to the group's maximum, whatever else forbids it to grow.
    int room(pass_context::GroupIndex group) const noexcept {
        return context_->headrooms[group].nodes - grown_[group];
    }
    /// Why the group cannot grow by even one node, or not as a whole; none: it can. The limits of
    /// the cluster are among the reasons.
    Reason obstacle(pass_context::GroupIndex group) const;
    /// The total whose limit is the one obstacle, "cpu"; empty: there is another, or none.
    std::string total_at_limit(pass_context::GroupIndex group) const;
    /// How many of `wanted` nodes the limits of the cluster allow.
    limits::Allowed allows(pass_context::GroupIndex group, int wanted) const;
    /// The same of nodes of no group.
    limits::Allowed allows(const NodeTemplate& node, int wanted) const {
        return budget_.allows(node, wanted);
    }
    /// Of each limit of the cluster, by its name: what is left.
    Resources left() const { return budget_.left(); }

    /// Whether the group would have to be made first.
    bool is_new(pass_context::GroupIndex group) const;
    /// How many groups may still be made; nothing: any number.
    std::optional<int> new_groups_left() const;

    void take(pass_context::GroupIndex group, int nodes);
    /// Of nodes that were taken.
    void give_up(pass_context::GroupIndex group, int nodes);
    /// Machines that the group was asked for, and that are counted, come no more.
    void release(pass_context::GroupIndex group, int nodes);
    /// Whether a machine of the group counts towards the total, "cpu".
    bool counts_in(pass_context::GroupIndex group, std::string_view total) const;
    /// No more of this group in this pass.
    void close(pass_context::GroupIndex group, Reason because) {
        closed_[group] = std::move(because);
    }

private:
    /// Of a group that has room and was not closed: the least growth there is, and what limits
    /// leave of it.
    struct Least {
        int nodes = 0;
        limits::Allowed allowed{};
    };
    Least least_growth(pass_context::GroupIndex group) const;

    const pass_context::PassContext* context_;
    limits::Budget budget_;
    int groups_ = 0;          // those that there are, and those that this pass makes
    std::vector<int> grown_;  // by group
    std::map<pass_context::GroupIndex, Reason> closed_;
};

/// The different shapes of groups that may grow.
std::vector<scheduling::TemplateNodeId> growing_shapes(const pass_context::PassContext& context,
                                                       const QuotaTracker& quotas);

}  // namespace capstan::engine::scale_up
