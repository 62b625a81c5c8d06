/// How far the cluster may shrink: the minimum of each group, and the minima of the cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/limits/limits.hpp"
#include "engine/memory.hpp"
#include "engine/pass_context/pass_context.hpp"

namespace capstan::engine::scale_down {

/// Why a node is not removed.
struct UnremovableReason {
    Unremovable reason = Unremovable::none;
    std::string because{};  ///< one sentence with numbers
    std::string pod{};      ///< "namespace/name" of the pod that keeps the node; empty: none does
    std::string total{};    ///< "cpu": the cluster minimum that keeps the node; empty: none does
};

/// The sizes of groups and cluster while a plan removes nodes. Nodes with a removal under way do
/// not count, and neither do upcoming nodes in the cluster's totals. It is a value: a copy is
/// independent. Borrows the context.
class MinSizeLimits {
public:
    MinSizeLimits(const pass_context::PassContext& context, const Memory& memory);

    /// Why a node of the group may not be removed: a minimum keeps it, or the group cannot be
    /// changed. Absent: it may be removed.
    std::optional<UnremovableReason> find_unremovable_reason(NodeIndex node,
                                                             GroupIndex group) const;
    /// The plan removes the node.
    void take(NodeIndex node, GroupIndex group);

private:
    struct Size {
        int uncertain = 0;       // part of the target that an increase may not have reached
        int being_removed = 0;   // nodes in removal that the target still includes
        int planned = 0;         // nodes that the plan removes
        std::string left_out{};  // why the cloud does not remove machines; empty: it does
    };

    const pass_context::PassContext* context_;
    std::vector<Size> sizes_;                      // by group
    std::vector<limits::ResourceTotal> totals_{};  // the totals that have a minimum
};

}  // namespace capstan::engine::scale_down
