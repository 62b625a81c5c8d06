/// Random clusters of which a plan can be asked: by seed, and made of parts, so that each can be
/// had again, in another order, and judged by code that knows nothing of the engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../test_cluster.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "naive/random_cluster.hpp"

namespace capstan::engine::scale_down {

/// What a pod is like for its relocation.
enum class PodKind {
    replicated,         ///< of a ReplicaSet: moves
    safe_to_evict,      ///< without a controller, but its owner says that it may go: moves
    terminating,        ///< of a ReplicaSet and about to end: moves, and needs no budget
    daemon,             ///< of a DaemonSet: goes with its node
    mirror,             ///< of the kubelet: as if it were not there
    unmanaged,          ///< without a controller: stays
    not_safe_to_evict,  ///< its owner says that it may not go: stays
    local,              ///< with files on its node: stays
    system,             ///< young, in kube-system, of no budget: stays
};
bool moves(PodKind sort) noexcept;
bool stays(PodKind sort) noexcept;

/// A PodDisruptionBudget as people write it, in namespace default.
struct BudgetPart {
    std::string name{};
    Labels selected{};  ///< empty: all pods
    /// Of the pods it selects at least, or else at most so many may be away.
    bool is_minimum = false;
    int number = 0;
    int away = 0;  ///< besides those that end, already
    bool is_observed = true;
};

struct Parts {
    std::vector<snapshot::NodeObject> nodes{};
    std::vector<std::string> group_of{};  ///< by node
    decltype(Memory::removals) going{};   ///< by node: removals under way
    std::vector<snapshot::PodObject> pods{};
    std::vector<PodKind> kinds{};  ///< by pod
    std::vector<BudgetPart> budgets{};
    Settings settings{};
    int min = 0;  ///< of every group
};

/// `g3` is removed atomically.
Parts make_parts(scheduling::naive::Dice& dice, const scheduling::naive::Frequencies& frequencies);

/// Whether a budget is about the pod, and how many of its pods may go.
bool selects(const BudgetPart& budget, const snapshot::PodObject& pod);
int allowed(const Parts& parts, const BudgetPart& budget);

}  // namespace capstan::engine::scale_down
