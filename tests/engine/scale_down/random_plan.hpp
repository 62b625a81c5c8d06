/// Random clusters for scale-down plans, by seed. They consist of parts, so that a cluster can be
/// built again in another order and checked by code that does not use the engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../test_cluster.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "naive/random_cluster.hpp"

namespace capstan::engine::scale_down {

/// How a pod behaves when its node is removed.
enum class PodKind {
    replicated,         ///< of a ReplicaSet: moves
    safe_to_evict,      ///< without a controller, annotated as safe to evict: moves
    terminating,        ///< of a ReplicaSet, being deleted: moves and needs no budget
    daemon,             ///< of a DaemonSet: removed with its node
    mirror,             ///< a mirror pod: ignored
    unmanaged,          ///< without a controller: stays
    not_safe_to_evict,  ///< annotated as not safe to evict: stays
    local,              ///< with local storage: stays
    system,             ///< young, in kube-system, without a budget: stays
};
bool moves(PodKind kind) noexcept;
bool stays(PodKind kind) noexcept;

/// A PodDisruptionBudget in namespace default.
struct BudgetPart {
    std::string name{};
    Labels selected{};  ///< empty: all pods
    /// If true, `number` is minAvailable, otherwise maxUnavailable.
    bool is_minimum = false;
    int number = 0;
    int away = 0;  ///< disrupted pods in addition to deleted ones
    bool is_observed = true;
};

struct Parts {
    std::vector<snapshot::NodeObject> nodes{};
    std::vector<std::string> group_of{};    ///< by node
    decltype(Memory::removals) removals{};  ///< by node: removals in progress
    std::vector<snapshot::PodObject> pods{};
    std::vector<PodKind> kinds{};  ///< by pod
    std::vector<BudgetPart> budgets{};
    Settings settings{};
    int min = 0;  ///< of every group
};

/// Makes random parts. The groups are g1, g2, and g3, which is zero-or-max.
Parts make_parts(scheduling::naive::Dice& dice, const scheduling::naive::Frequencies& frequencies);

/// Whether the budget selects the pod.
bool selects(const BudgetPart& budget, const snapshot::PodObject& pod);
/// How many pods of the budget may be disrupted.
int allowed(const Parts& parts, const BudgetPart& budget);

}  // namespace capstan::engine::scale_down
