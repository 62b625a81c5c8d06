/// How far the cluster may shrink: the minimum of each group, and those of the whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/limits/limits.hpp"
#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"

namespace capstan::engine::scale_down {

/// What keeps a node.
struct Keep {
    Unremovable reason = Unremovable::none;
    std::string because{};  ///< one sentence with numbers
    std::string pod{};      ///< "namespace/name" of the pod that keeps it; empty: none does
    std::string total{};    ///< "cpu": the total of which the minimum keeps it; empty: none does
};

/// Nodes whose removal is under way have gone already; what is on its way has not come. A copy is a
/// state of its own. Borrows the context.
class MinSizeLimits {
public:
    MinSizeLimits(const pass_context::PassContext& context, const Memory& memory);

    /// What keeps a node of the group; nothing: it may go.
    std::optional<Keep> find_keep(snapshot::NodeIndex node, pass_context::GroupIndex group) const;
    /// It goes.
    void take(snapshot::NodeIndex node, pass_context::GroupIndex group);

private:
    struct Size {
        int being_removed = 0;   // their removal is under way
        int planned = 0;         // taken
        std::string left_out{};  // why its cloud is asked for no removal; empty: it is
    };

    const pass_context::PassContext* context_;
    std::vector<Size> sizes_;                      // by group
    std::vector<limits::ResourceTotal> totals_{};  // those that have a minimum
};

}  // namespace capstan::engine::scale_down
