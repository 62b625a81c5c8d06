// Random clusters: what a plan promises is checked by a scheduler that is slow and obvious.
#include <gtest/gtest.h>

#include <set>

#include "engine/scale_down/node_pods.hpp"
#include "naive/naive_scheduler.hpp"
#include "naive/random_cluster.hpp"
#include "plan_case.hpp"

namespace capstan::engine {
namespace {

constexpr naive::Spice a_bit_of_all{.volumes = 0};
constexpr naive::Spice spread_above_all{
    .affinity = 5, .spread = 90, .ports = 5, .volumes = 0, .node_affinity = 10, .taints = 5};

/// What a cluster is made of, so that it can be made again in another order.
struct Parts {
    std::vector<NodeObject> nodes{};
    std::vector<std::string> group_of{};
    std::vector<PodObject> pods{};
    std::vector<std::pair<std::string, int>> budgets{};  ///< by value of the label app
    Settings settings{};
    int min = 0;
};

Parts make_parts(naive::Dice& dice, const naive::Spice& spice) {
    Parts out;
    for (int i = dice.between(2, 7); i > 0; --i) {
        out.nodes.push_back(naive::make_random_node(dice, spice, "n" + std::to_string(i)));
        out.nodes.back().created = out.nodes.back().ready_since = noon - 1h;
        out.group_of.push_back("g" + std::to_string(dice.between(1, 3)));
    }
    for (int kind = dice.between(1, 6); kind > 0; --kind) {
        const PodObject like = naive::make_random_pod(dice, spice);
        for (int i = dice.between(1, 4); i > 0; --i) {
            PodObject& pod = out.pods.emplace_back(like);
            pod.name = "p" + std::to_string(kind) + "-" + std::to_string(i);
            pod.node_name = dice.chance(10) ? "" : dice.one_of(out.nodes).name;
            pod.unscheduled_reason = pod.node_name.empty() ? "Unschedulable" : "";
            pod.phase = pod.node_name.empty() ? PodPhase::pending : PodPhase::running;
            pod.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "r", .uid = "r"};
            pod.deleted.reset();
        }
    }
    if (dice.chance(30)) out.settings.nodes.min = dice.between(1, 4);
    if (dice.chance(30)) out.min = dice.between(0, 2);
    if (dice.chance(30)) out.budgets.emplace_back("a", dice.between(0, 3));
    out.settings.scale_down.max_drain_parallelism = dice.between(1, 5);
    out.settings.scale_down.utilization_threshold = 1;
    return out;
}

PlanCase make_case(const Parts& parts, bool reversed) {
    PlanCase c;
    c.settings = parts.settings;
    std::map<std::string, int> sizes;
    for (const std::string& group : parts.group_of) ++sizes[group];
    for (const auto& [group, size] : sizes) {
        Group& made = c.world.group(group, size);
        made.group.min = parts.min;
        made.options.zero_or_max = group == "g3";
    }
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
        const std::size_t at = reversed ? parts.nodes.size() - 1 - i : i;
        NodeObject& node = c.world.node(parts.nodes[at].name, parts.group_of[at]);
        const NodeObject& like = parts.nodes[at];
        node.labels = like.labels;
        node.taints = like.taints;
        node.capacity = node.allocatable = like.allocatable;
        c.memory.unneeded[node.name] = {.since = noon - 1h};
    }
    for (std::size_t i = 0; i < parts.pods.size(); ++i) {
        const std::size_t at = reversed ? parts.pods.size() - 1 - i : i;
        c.world.pod(parts.pods[at].name) = parts.pods[at];
    }
    for (const auto& [app, allowed] : parts.budgets)
        c.world.budget(app, allowed).selector = LabelSelector{.match_labels = {{"app", app}}};
    return c;
}

/// Plays a plan on the slow scheduler's world.
class Played {
public:
    explicit Played(const PlanCase& c)
        : case_(c), snapshot_(c.world.snapshot()), cluster_(snapshot_.cluster) {
        scene_.emplace(make_scene(snapshot_, c.memory, case_.settings, c.now));
        Ground ground(*scene_);
        world_ = naive::make_world(cluster_);
        // Pods that wait and found room are there first.
        for (Slot slot = 0; slot < cluster_.node_count(); ++slot) {
            for (const Seat& seat : ground.placement.seats(slot)) {
                seated_.insert(slot);
                const ClassId id = scene_->rules->subjects()[seat.subject];
                for (int i = 0; i < seat.per_node; ++i)
                    world_.nodes[slot].pods.push_back(naive::make_pod(cluster_, id));
            }
        }
        Memory memory = c.memory;
        plan_ = plan_scale_down(*scene_, ground.placement, scene_->candidates, scene_->budgets, {},
                                memory);
        hints_ = memory.hints;
        for (NodeIndex n = 0; n < cluster_.node_count(); ++n)
            if (!memory.unneeded.contains(name(n))) staying_.push_back(n);
    }

    /// Empty: every pod of every node that goes has another place.
    std::string find_homeless() {
        for (const ChosenNode& chosen : plan_.chosen) {
            const Candidate& node = scene_->candidates.nodes[chosen.candidate];
            if (seated_.contains(node.node)) return name(node.node) + " is waited for";
            world_.nodes[node.node].gone = true;
            // Who comes first matters to pods that look at each other.
            std::vector<PodIndex> left = node.moving;
            std::ranges::sort(left, {}, [&](PodIndex pod) {
                const ClassRow& row = cluster_.pod_class(cluster_.class_of(pod));
                const auto at = std::ranges::find(node.moving, pod) - node.moving.begin();
                return std::pair(-row.spec->requests.amount("cpu"), at);
            });
            for (std::size_t before = left.size() + 1; left.size() < before;) {
                before = left.size();
                std::erase_if(left, [&](PodIndex pod) { return seat(pod); });
            }
            if (!left.empty()) {
                return std::string(cluster_.text(cluster_.pod(left[0]).name)) + " of " +
                       name(node.node) + " has no place";
            }
        }
        return {};
    }

    /// Empty: no minimum is broken, and groups go whole.
    std::string find_broken_bound() const {
        std::map<GroupIndex, int> going;
        for (const ChosenNode& chosen : plan_.chosen)
            ++going[scene_->candidates.nodes[chosen.candidate].group];
        for (const auto& [group, nodes] : going) {
            const Group& its = scene_->groups()[group];
            if (*its.group.target - nodes < *its.group.min) return "below a group's minimum";
            if (its.options.zero_or_max && *its.options.zero_or_max && nodes < *its.group.target)
                return "a part of a whole group";
        }
        const auto left = static_cast<std::int64_t>(cluster_.node_count() - plan_.chosen.size());
        if (!plan_.chosen.empty() && left < case_.settings.nodes.min) return "below the minimum";
        return {};
    }

    /// All that was decided, as text.
    std::string told() const {
        std::string out;
        for (const ChosenNode& chosen : plan_.chosen)
            out += name(scene_->candidates.nodes[chosen.candidate].node) + ": " + chosen.because +
                   "\n";
        for (const NodeVerdict& node : plan_.nodes) out += node.node + ": " + node.because + "\n";
        return out;
    }

private:
    std::string name(NodeIndex n) const {
        return std::string(cluster_.text(cluster_.node(n).name));
    }
    bool seat(PodIndex pod) {
        const naive::Pod moving = naive::make_pod(cluster_, cluster_.class_of(pod));
        // Where the plan wants it, else where it fits.
        std::vector<NodeIndex> nodes = staying_;
        const NodeIndex planned = *cluster_.find_node(hints_.at(full_name(cluster_, pod)));
        nodes.insert(nodes.begin(), planned);
        for (const NodeIndex node : nodes) {
            if (!naive::fits(world_, moving, node)) continue;
            world_.nodes[node].pods.push_back(moving);
            return true;
        }
        return false;
    }

    const PlanCase& case_;
    Snapshot snapshot_;
    const Cluster& cluster_;
    std::optional<Scene> scene_{};
    naive::World world_{};
    std::set<NodeIndex> seated_{};
    std::vector<NodeIndex> staying_{};
    std::map<std::string, std::string> hints_{};
    ScaleDown plan_{};
};

void check(std::uint64_t seeds, const naive::Spice& spice) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        naive::Dice dice(seed);
        const Parts parts = make_parts(dice, spice);
        const PlanCase c = make_case(parts, false), reversed = make_case(parts, true);
        Played played(c);
        EXPECT_EQ(played.find_homeless(), "") << "seed " << seed;
        EXPECT_EQ(played.find_broken_bound(), "") << "seed " << seed;
        EXPECT_EQ(played.told(), Played(reversed).told()) << "seed " << seed;
    }
}

TEST(PlanChecker, EveryPodOfANodeThatGoesHasAPlaceAndEveryBoundHolds) { check(2000, a_bit_of_all); }

TEST(PlanChecker, HoldsAlsoWhereMostPodsAreSpread) { check(2000, spread_above_all); }

}  // namespace
}  // namespace capstan::engine
