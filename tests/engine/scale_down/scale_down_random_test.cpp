// Checks scale-down plans of random clusters with the naive scheduler and with a checker that
// counts one by one. CAPSTAN_SEEDS=FROM,TO selects the seeds from FROM to TO - 1 instead.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/pods/pod_group_key.hpp"
#include "engine/removal/removal.hpp"
#include "naive/naive_scheduler.hpp"
#include "plan_case.hpp"
#include "plan_checker.hpp"

namespace capstan::engine::scale_down {
namespace {

constexpr scheduling::naive::Frequencies mixed_constraints{.volumes = 0};
constexpr scheduling::naive::Frequencies mostly_spread{
    .affinity = 5, .spread = 90, .ports = 5, .volumes = 0, .node_affinity = 10, .taints = 5};

void add_groups(TestCluster& test_cluster, const Parts& parts) {
    test_cluster.group("g1", 0).group.min = parts.min;
    test_cluster.group("g2", 0).group.min = parts.min;
    Group& atomic = test_cluster.group("g3", 0);
    atomic.group.min = parts.min;
    atomic.options.zero_or_max = true;
    for (const std::string& group : parts.group_of)
        ++*test_cluster.change_group(group).group.target;
    // The target no longer includes a machine whose removal the cloud accepted.
    for (const auto& [node, removal] : parts.removals) {
        if (removal.phase == RemovalPhase::removed)
            --*test_cluster.change_group(removal.group.value()).group.target;
    }
}

/// All nodes have been unneeded for an hour. `reversed`: objects are added in reverse order.
PlanCase make_case(const Parts& parts, bool reversed) {
    PlanCase c;
    c.settings = parts.settings;
    c.memory.removals = parts.removals;
    add_groups(c.test_cluster, parts);
    const auto place = [&](std::size_t i, std::size_t size) { return reversed ? size - 1 - i : i; };
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
        const std::size_t at = place(i, parts.nodes.size());
        snapshot::NodeObject& node = c.test_cluster.node(parts.nodes[at].name, parts.group_of[at]);
        const snapshot::NodeObject& like = parts.nodes[at];
        node.labels = like.labels;
        node.taints = like.taints;
        node.capacity = node.allocatable = like.allocatable;
        c.memory.unneeded[node.name] = {.since = noon - 1h};
    }
    for (std::size_t i = 0; i < parts.pods.size(); ++i) {
        const std::size_t at = place(i, parts.pods.size());
        c.test_cluster.pod(parts.pods[at].name) = parts.pods[at];
    }
    for (std::size_t i = 0; i < parts.budgets.size(); ++i) {
        const BudgetPart& budget = parts.budgets[place(i, parts.budgets.size())];
        auto& added = c.test_cluster.budget(budget.name, allowed(parts, budget));
        added.selector = LabelSelector{.match_labels = budget.selected};
        added.is_observed = budget.is_observed;
    }
    return c;
}

/// Applies a plan to the naive scheduler's cluster.
class PlanReplay {
public:
    explicit PlanReplay(const PlanCase& c)
        : case_(c), snapshot_(c.test_cluster.snapshot()), cluster_(snapshot_.cluster) {
        context_.emplace(
            pass_context::make_pass_context(snapshot_, c.memory, case_.settings, c.now));
        scale_up::InitialPlacement initial = scale_up::place_pending(*context_);
        naive_cluster_ = scheduling::naive::make_naive_cluster(cluster_);
        for (const NodeIndex node : context_->being_removed) drain(node);
        // Pending pods that fit on existing nodes are placed first.
        for (scheduling::Slot slot = 0; slot < cluster_.node_count(); ++slot) {
            for (const scheduling::Assignment& assignment : initial.placement.assignments(slot)) {
                assigned_.insert(slot);
                const PodGroupId id = context_->predicates->pod_groups()[assignment.pod_group];
                for (int i = 0; i < assignment.per_node; ++i)
                    naive_cluster_.nodes[slot].pods.push_back(
                        scheduling::naive::make_pod(cluster_, id));
            }
        }
        memory_ = c.memory;
        plan_ = plan_scale_down(*context_, initial.placement, context_->candidates,
                                context_->budgets, {}, memory_);
    }

    /// In the order in which their removals begin.
    std::vector<std::string> chosen() const {
        std::vector<std::string> out;
        for (const ChosenNode& node : plan_.chosen) out.push_back(name(at(node).node));
        return out;
    }
    std::vector<std::string> unneeded() const {
        std::vector<std::string> out;
        for (const auto& [node, since] : memory_.unneeded) out.push_back(node);
        return out;
    }

    /// Empty: every pod that moves, as listed by `checker`, fits on its planned node while all
    /// chosen nodes drain.
    std::string find_unplaceable(const PlanChecker& checker) {
        std::vector<std::pair<PodIndex, NodeIndex>> left;
        for (const ChosenNode& chosen : plan_.chosen) {
            const drainability::Candidate& node = at(chosen);
            if (assigned_.contains(node.node)) return name(node.node) + " has planned pods";
            std::vector<std::string> moving = names(cluster_, node.moving);
            std::ranges::sort(moving);
            if (moving != checker.moving(name(node.node)))
                return "other pods of " + name(node.node) + " move than expected";
            drain(node.node);
            for (const auto& [to, pods] : chosen.places)
                for (const auto& [key, count] : pods)
                    add_moves(node, *cluster_.find_node(to), key, count, left);
        }
        // The order matters for inter-pod constraints.
        for (std::size_t before = left.size() + 1; left.size() < before;) {
            before = left.size();
            std::erase_if(left, [&](const auto& move) { return assign(move.first, move.second); });
        }
        if (left.empty()) return {};
        return std::string(cluster_.text(cluster_.pod(left[0].first).name)) + " does not fit on " +
               name(left[0].second);
    }

    /// The pods that one pass evicts if all removals are draining.
    std::vector<std::string> evicted() const {
        Memory memory = case_.memory;
        memory.started = true;
        for (auto& [node, removal] : memory.removals) removal.phase = RemovalPhase::draining;
        for (const ChosenNode& chosen : plan_.chosen) {
            memory.removals[name(at(chosen).node)] = {.group = context_->id(at(chosen).group),
                                                      .phase = RemovalPhase::draining,
                                                      .empty = at(chosen).is_empty(),
                                                      .since = noon,
                                                      .phase_since = noon};
        }
        const removal::RemovalSteps steps = removal::step_removals(
            {snapshot_, context_->membership, memory, case_.settings, noon}, context_->candidates,
            {}, context_->repairs, context_->budgets, memory);
        std::vector<std::string> out;
        for (const Eviction& eviction : steps.evictions) out.push_back(eviction.pod);
        return out;
    }

    /// The plan as text.
    std::string to_text() const {
        std::string out;
        for (const ChosenNode& chosen : plan_.chosen)
            out += name(at(chosen).node) + ": " + chosen.because + "\n";
        for (const NodeVerdict& node : plan_.nodes) out += node.node + ": " + node.because + "\n";
        return out;
    }

private:
    const drainability::Candidate& at(const ChosenNode& chosen) const {
        return context_->candidates.nodes[chosen.candidate];
    }
    std::string name(NodeIndex n) const {
        return std::string(cluster_.text(cluster_.node(n).name));
    }
    void drain(NodeIndex node) {
        naive_cluster_.nodes[node].gone = true;
        naive_cluster_.nodes[node].draining = true;
    }
    /// Adds `count` pods of the node with this key that have no move yet.
    void add_moves(const drainability::Candidate& node, NodeIndex to, const std::string& key,
                   int count, std::vector<std::pair<PodIndex, NodeIndex>>& moves) const {
        for (const PodIndex pod : node.moving) {
            const bool has_move =
                std::ranges::any_of(moves, [&](const auto& move) { return move.first == pod; });
            if (has_move || count == 0 ||
                pods::pod_group_key(cluster_, cluster_.equivalence_group_of(pod)) != key)
                continue;
            moves.emplace_back(pod, to);
            --count;
        }
    }
    bool assign(PodIndex pod, NodeIndex node) {
        const scheduling::naive::Pod moving =
            scheduling::naive::make_pod(cluster_, cluster_.equivalence_group_of(pod));
        if (!scheduling::naive::fits(naive_cluster_, moving, node)) return false;
        naive_cluster_.nodes[node].pods.push_back(moving);
        return true;
    }

    const PlanCase& case_;
    Snapshot snapshot_;
    const snapshot::Cluster& cluster_;
    std::optional<pass_context::PassContext> context_{};
    scheduling::naive::NaiveCluster naive_cluster_{};
    std::set<NodeIndex> assigned_{};
    Memory memory_{};
    ScaleDown plan_{};
};

/// Checks the plan of a random cluster. Returns whether it drains a node with a pod that has a
/// budget.
bool check(std::uint64_t seed, const scheduling::naive::Frequencies& frequencies) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    scheduling::naive::Dice dice(seed);
    const Parts parts = make_parts(dice, frequencies);
    const PlanChecker checker(parts);
    const PlanCase c = make_case(parts, false), reversed = make_case(parts, true);
    PlanReplay replay(c);
    EXPECT_EQ(replay.find_unplaceable(checker), "");
    EXPECT_EQ(checker.find_unmovable(replay.unneeded()), "");
    EXPECT_EQ(checker.find_overdrawn(replay.chosen()), "");
    EXPECT_EQ(checker.find_overdrawn_in_any_order(replay.unneeded()), "");
    EXPECT_EQ(checker.find_overdrawn_by(replay.evicted()), "");
    EXPECT_EQ(checker.find_broken_minimum(replay.unneeded()), "");
    EXPECT_EQ(checker.find_excess_parallelism(replay.chosen()), "");
    EXPECT_EQ(replay.to_text(), PlanReplay(reversed).to_text());
    return checker.involves_budgets(replay.chosen());
}

struct Seeds {
    unsigned from, to;
};

void check_all(Seeds seeds, const scheduling::naive::Frequencies& frequencies) {
    if (const char* range = std::getenv("CAPSTAN_SEEDS"))
        std::sscanf(range, "%u,%u", &seeds.from, &seeds.to);
    unsigned with_budgets = 0;
    for (unsigned seed = seeds.from; seed < seeds.to; ++seed) {
        with_budgets += check(seed, frequencies) ? 1 : 0;
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(with_budgets, (seeds.to - seeds.from) / 50);
}

TEST(ScaleDownOnRandomClusters, MovesEveryPodAndRespectsEveryLimit) {
    check_all({1, 401}, mixed_constraints);
}

TEST(ScaleDownOnRandomClusters, MovesEveryPodWithManySpreadConstraints) {
    check_all({1, 401}, mostly_spread);
}

}  // namespace
}  // namespace capstan::engine::scale_down
