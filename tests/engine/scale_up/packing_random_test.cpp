// Passes over random clusters: the new nodes suffice for the pods planned on them, also in the
// order of the scheduler, and few nodes are unnecessary.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "../pass_case.hpp"
#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/scale_up.hpp"
#include "naive/random_cluster.hpp"
#include "placement_check.hpp"

namespace capstan::engine::scale_up {
namespace {

using scheduling::naive::Dice;

/// Machines of 2 to 16 cores, with 2, 4 or 8 GiB per core.
struct MachineSize {
    int cores;
    int gib;
};
constexpr MachineSize machine_sizes[] = {{2, 8}, {4, 16}, {4, 32}, {8, 16}, {16, 64}};
constexpr int groups_per_case = 3;

const std::vector<Taint> dedicated{{"dedicated", "batch", Effect::no_schedule}};

std::string group_name(int group) { return std::string(1, static_cast<char>('a' + group)); }

class PackingCase {
public:
    explicit PackingCase(std::uint64_t seed) : dice_(seed) {
        is_limited = dice_.chance(20);
        for (int g = 0; g < groups_per_case; ++g) add_group(g);
        for (int n = dice_.below(6); n > 0; --n) add_half_full_node(n);
        for (int kind = dice_.between(2, 7); kind > 0; --kind) add_pods(kind);
        if (is_limited && dice_.chance(60)) c.settings.nodes.max = dice_.between(4, 12);
        if (is_limited && dice_.chance(60)) c.settings.cpu.max = 1000 * dice_.between(20, 60);
        c.settings.balance_similar = dice_.chance(50);
        // The expander prefers the groups in a random order.
        std::vector<std::string> order;
        for (int g = 0; g < groups_per_case; ++g)
            order.insert(order.begin() + dice_.below(static_cast<int>(order.size()) + 1),
                         group_name(g));
        c.expander = PreferenceExpander(order);
    }

    PassCase c{};
    bool is_limited = false;  ///< cluster limits or a small max size may apply
    std::vector<snapshot::PodObject*> waiting{};

    /// A node of the group joins as described by its template.
    void join(const std::string& group) {
        const std::string name = group + "-" + std::to_string(++joined_);
        snapshot::NodeObject& node = c.test_cluster.node(name, group);
        const NodeTemplate& like = *templates_.at(group);
        node.labels = like.labels;
        node.labels[hostname_key] = name;
        node.taints = like.taints;
        node.capacity = node.allocatable = like.capacity;
    }

private:
    void add_group(int g) {
        const std::string id = group_name(g);
        const MachineSize size = machine_sizes[dice_.below(std::size(machine_sizes))];
        Group& group = c.test_cluster.group(id, 0);
        group.group.max = is_limited && dice_.chance(40) ? dice_.between(1, 5) : 200;
        NodeTemplate& node =
            c.test_cluster.describe(id, amounts(1000 * size.cores, 1024 * size.gib));
        node.allocatable = node.free = node.capacity;
        node.labels = {{zone_key, dice_.word({"za", "zb", "zc"})}};
        if (dice_.chance(25)) node.taints = dedicated;
        templates_[id] = &node;
    }
    /// A node on which a pod already runs.
    void add_half_full_node(int n) {
        const std::string group = group_name(dice_.below(groups_per_case));
        ++*c.test_cluster.change_group(group).group.target;
        join(group);
        const std::string name = group + "-" + std::to_string(joined_);
        const std::int64_t cores = templates_.at(group)->capacity.amount("cpu");
        snapshot::PodObject& pod = c.test_cluster.pod("old-" + std::to_string(n), name);
        pod.spec.requests = {{"cpu", cores * dice_.between(30, 70) / 100}, {"memory", 1 << 30}};
    }
    void add_pods(int kind) {
        const std::string name = "p" + std::to_string(kind);
        const std::int64_t cpu = 100 * dice_.between(1, 35);
        const std::int64_t memory = std::int64_t{256 << 20} * dice_.between(1, 24);
        const int priority = 100 * dice_.below(3), constraint = dice_.below(100);
        const bool tolerates = dice_.chance(40);
        for (int count = dice_.between(1, 20), i = 0; i < count; ++i) {
            snapshot::PodObject& pod = c.test_cluster.pod(name + "-" + std::to_string(i));
            pod.labels = {{"app", name}};
            pod.spec.requests = {{"cpu", cpu}, {"memory", memory}};
            pod.spec.priority = priority;
            pod.created = noon - std::chrono::minutes(10 + dice_.below(60));
            if (tolerates)
                pod.spec.tolerations = {{.key = "dedicated", .op = Toleration::Op::exists}};
            if (constraint < 25) spread_over(hostname_key, 1 + constraint % 2)(pod);
            if (constraint >= 25 && constraint < 35) spread_over(zone_key)(pod);
            if (constraint >= 35 && constraint < 50) apart_on(hostname_key)(pod);
            waiting.push_back(&pod);
        }
    }

    Dice dice_;
    int joined_ = 0;
    std::map<std::string, const NodeTemplate*> templates_{};
};

/// Scoring strategy of NodeResourcesFit: the emptiest or the fullest node first.
enum class Strategy { least_allocated, most_allocated };
constexpr Strategy strategies[] = {Strategy::least_allocated, Strategy::most_allocated};

/// A simple kube-scheduler: pods in order of priority and age, each on the node with the best
/// score, ties by name. Pods that did not fit are retried while others are bound.
class QueueScheduler {
public:
    QueueScheduler(const snapshot::Cluster& cluster, Strategy strategy)
        : cluster_(cluster),
          predicates_(cluster, pod_groups_of(cluster), {}),
          placement_(predicates_),
          sign_(strategy == Strategy::least_allocated ? 1 : -1) {}

    /// Binds the pods that fit.
    void bind(std::vector<snapshot::PodObject*>& waiting) {
        std::map<std::string, PodGroupId> pod_groups;
        for (const PodIndex pod : cluster_.unbound()) {
            pod_groups[std::string(cluster_.text(cluster_.pod(pod).name))] =
                cluster_.equivalence_group_of(pod);
        }
        std::ranges::stable_sort(waiting, {}, [](const snapshot::PodObject* pod) {
            return std::tuple(-pod->spec.priority.value_or(0), pod->created, pod->name);
        });
        const auto bind_one = [&](snapshot::PodObject* pod) {
            return try_to_bind(*pod, pod_groups[pod->name]);
        };
        while (std::erase_if(waiting, bind_one) > 0) {
        }
    }

private:
    static std::vector<PodGroupId> pod_groups_of(const snapshot::Cluster& cluster) {
        std::set<PodGroupId> pod_groups;
        for (const PodIndex pod : cluster.unbound())
            pod_groups.insert(cluster.equivalence_group_of(pod));
        return {pod_groups.begin(), pod_groups.end()};
    }
    double score(NodeIndex node) const {
        const auto share = [&](ResourceIndex resource) {
            return static_cast<double>(placement_.free(node, resource)) /
                   static_cast<double>(cluster_.allocatable(node)[resource]);
        };
        return sign_ * (share(snapshot::cpu_index) + share(snapshot::memory_index));
    }
    bool try_to_bind(snapshot::PodObject& pod, PodGroupId equivalence_group) {
        const auto at = std::ranges::lower_bound(predicates_.pod_groups(), equivalence_group);
        const auto pod_group = static_cast<PodGroupIndex>(at - predicates_.pod_groups().begin());
        std::optional<NodeIndex> best;
        for (NodeIndex node = 0; node < cluster_.node_count(); ++node) {
            if (placement_.room(pod_group, node, 1).in_all == 0) continue;
            if (!best || score(node) > score(*best)) best = node;
        }
        if (!best) return false;
        placement_.place(pod_group, *best, 1);
        pod.node_name = cluster_.text(cluster_.node(*best).name);
        pod.unscheduled_reason.clear();
        return true;
    }

    const snapshot::Cluster& cluster_;
    scheduling::CompiledPredicates predicates_;
    scheduling::Placement placement_;
    double sign_;
};

/// A pass over a case, and its result.
class PackingPass {
public:
    explicit PackingPass(PassCase& c)
        : snapshot_(c.test_cluster.snapshot()),
          context_(pass_context::make_pass_context(snapshot_, {}, c.settings, c.call_context.now)),
          policies_(c.policies()),
          scale_up_(place_pending(context_), policies_, c.call_context) {
        scale_up_.run();
        for (scheduling::Slot slot = scale_up_.first_new(); slot < placement().slot_count();
             ++slot) {
            for (const scheduling::Assignment& assignment : placement().assignments(slot))
                planned_[assignment.pod_group] += assignment.per_node * placement().nodes(slot);
        }
    }

    std::string find_misplaced_pod() { return PlacementCheck(scale_up_).find_misplaced_pod(); }

    std::size_t options() const { return scale_up_.progress().accepted_options.size(); }
    int planned() const {
        int sum = 0;
        for (const auto& [pod_group, count] : planned_) sum += count;
        return sum;
    }
    /// Whether all planned pods fit, largest first, without one of the new nodes.
    bool has_spare_node() {
        for (scheduling::Slot slot = scale_up_.first_new(); slot < placement().slot_count();
             ++slot) {
            if (fits_without(slot)) return true;
        }
        return false;
    }
    /// Cores of the new nodes.
    double cores() {
        std::int64_t sum = 0;
        for (scheduling::Slot slot = scale_up_.first_new(); slot < placement().slot_count(); ++slot)
            sum += amount_of(slot, "cpu") * placement().nodes(slot);
        return static_cast<double>(sum) / 1000;
    }
    /// A lower bound of the cores: what the requests of the pods on new nodes need in total if
    /// fractions of nodes could be added.
    double least_cores() {
        double cpu = 0, memory = 0, cpu_per_memory = 1;
        for (const auto& [pod_group, count] : planned_) {
            for (const snapshot::Request& request : context_.predicates->requests(pod_group)) {
                const double amount = static_cast<double>(request.amount) * count;
                if (request.resource == snapshot::cpu_index) cpu += amount / 1000;
                if (request.resource == snapshot::memory_index) memory += amount / (1 << 30);
            }
        }
        for (const scheduling::TemplateNode& template_node :
             context_.predicates->template_nodes()) {
            const auto gib =
                static_cast<double>(template_node.allocatable.amount("memory")) / (1 << 30);
            const auto cores = static_cast<double>(template_node.allocatable.amount("cpu")) / 1000;
            cpu_per_memory = std::min(cpu_per_memory, cores / gib);
        }
        return std::max(cpu, memory * cpu_per_memory);
    }

private:
    scheduling::Placement& placement() { return scale_up_.placement(); }
    std::int64_t amount_of(scheduling::Slot slot, const char* resource) {
        return context_.predicates->template_nodes()[*placement().template_node(slot)]
            .allocatable.amount(resource);
    }
    bool fits_without(scheduling::Slot dropped) {
        scheduling::Placement other(placement());
        other.undo(scale_up_.start());
        for (scheduling::Slot slot = scale_up_.first_new(); slot < placement().slot_count();
             ++slot) {
            const int nodes = placement().nodes(slot) - (slot == dropped ? 1 : 0);
            if (nodes > 0) other.add(*placement().template_node(slot), nodes);
        }
        std::map<PodGroupIndex, int> left = planned_;
        const SizeOrder order =
            SizeOrders(*context_.predicates).of(*placement().template_node(dropped));
        for (int placed = 1; placed > 0;) {
            placed = 0;
            for (const PodGroupIndex pod_group : *order) {
                int& wanted = left[pod_group];
                const auto end = static_cast<scheduling::Slot>(other.slot_count());
                const int some = wanted > 0 ? Packing(other).fill(pod_group, 0, end, wanted) : 0;
                wanted -= some;
                placed += some;
            }
        }
        return std::ranges::all_of(left, [](const auto& entry) { return entry.second == 0; });
    }

    Snapshot snapshot_;
    pass_context::PassContext context_;
    Policies policies_;
    ScaleUp scale_up_;
    std::map<PodGroupIndex, int> planned_{};
};

constexpr std::uint64_t packing_cases = PACKING_CASES;

TEST(PackingOnRandomClusters, PlacesEveryPodInTheOrderOfThePass) {
    int planned = 0;
    for (std::uint64_t seed = 1; seed <= packing_cases; ++seed) {
        PackingCase each(seed);
        PackingPass pass(each.c);
        planned += pass.planned();
        EXPECT_EQ(pass.find_misplaced_pod(), "") << "seed " << seed;
    }
    EXPECT_GT(planned, static_cast<int>(25 * packing_cases));
}

/// The number of cases with new nodes, and of those with a spare node.
struct Spared {
    int cases = 0, spared = 0;
    double percent() const { return 100.0 * spared / cases; }
};
std::ostream& operator<<(std::ostream& out, const Spared& some) {
    return out << some.spared << " of " << some.cases << " (" << some.percent() << "%)";
}

// Remaining spare nodes keep groups balanced or zones even.
TEST(PackingOnRandomClusters, AddsFewUnnecessaryNodes) {
    Spared one_option, all;
    double cores = 0, least = 0;
    for (std::uint64_t seed = 1; seed <= packing_cases; ++seed) {
        PackingCase each(seed);
        PackingPass pass(each.c);
        if (pass.planned() == 0) continue;
        const int spared = pass.has_spare_node() ? 1 : 0;
        ++all.cases, all.spared += spared;
        if (pass.options() == 1) ++one_option.cases, one_option.spared += spared;
        cores += pass.cores();
        least += pass.least_cores();
    }
    std::cout << "spare node in " << all << " cases, with one option in " << one_option
              << "; cores relative to the lower bound: " << cores / least << '\n';
    EXPECT_GT(all.cases, static_cast<int>(packing_cases * 7 / 8));
    EXPECT_LE(one_option.percent(), 1);
    EXPECT_LE(all.percent(), 5);
    EXPECT_LE(cores / least, 1.6);
}

/// Runs passes until one adds no nodes, but at most `most`. After each pass the new nodes join, and
/// the scheduler binds pods. Returns how many passes added nodes. `join` is called for each node.
template <class Join>
int run_until_stable(PassCase& c, std::vector<snapshot::PodObject*>& waiting, Strategy strategy,
                     int most, Join join) {
    for (int passes = 0; passes < most; ++passes) {
        pass::Outcome outcome = c.run();
        if (outcome.decision.increases.empty()) return passes;
        for (const Increase& increase : outcome.decision.increases) {
            *c.test_cluster.change_group(increase.group.value()).group.target += increase.by;
            for (int n = 0; n < increase.by; ++n) join(increase.group.value());
        }
        c.call_context.now += 1min;
        const snapshot::Cluster cluster = c.test_cluster.cluster();
        QueueScheduler(cluster, strategy).bind(waiting);
    }
    return most;
}

TEST(PackingOnRandomClusters, SufficesForTheOrderOfTheSchedulerAfterThreePasses) {
    for (const Strategy strategy : strategies) {
        std::map<int, int> cases;  // by the number of passes
        for (std::uint64_t seed = 1; seed <= packing_cases; ++seed) {
            PackingCase each(seed);
            {
                const snapshot::Cluster cluster = each.c.test_cluster.cluster();
                QueueScheduler(cluster, strategy).bind(each.waiting);
            }
            const int planned = each.is_limited ? 0 : PackingPass(each.c).planned();
            const auto waiting = static_cast<int>(each.waiting.size());
            const int passes =
                run_until_stable(each.c, each.waiting, strategy, 4,
                                 [&](const std::string& group) { each.join(group); });
            ++cases[passes];
            EXPECT_LE(passes, 3) << "seed " << seed;
            if (!each.is_limited) {
                EXPECT_LE(static_cast<int>(each.waiting.size()), waiting - planned)
                    << "seed " << seed;
            }
        }
        for (const auto& [passes, count] : cases)
            std::cout << count << " cases need no more nodes after " << passes << " passes\n";
    }
}

/// Similar groups a, b and c; only c fits the pinned pods. All pods have one size, and random
/// priorities and ages.
struct PinnedCase {
    explicit PinnedCase(std::uint64_t seed) {
        Dice dice(seed);
        per_node = dice.between(1, 4);
        for (const char* id : {"a", "b", "c"}) {
            Group& group = c.test_cluster.group(id, 0);
            group.group.max = 200;
            NodeTemplate& node = c.test_cluster.describe(id, amounts(4000));
            node.allocatable = node.free = node.capacity;
            node.labels = {{"pool", id}};
        }
        for (const auto& [name, selector] :
             {std::pair("free", Labels()), std::pair("pinned", Labels{{"pool", "c"}})}) {
            const int priority = dice.chance(30) ? 100 : 0, count = dice.between(1, 16);
            const bool has_one_age = dice.chance(50);
            const auto age = std::chrono::minutes(10 + dice.below(60));
            for (int n = 0; n < count; ++n) {
                snapshot::PodObject& pod = c.test_cluster.pod(name + std::to_string(n));
                pod.labels = {{"app", name}};
                pod.spec.requests = {{"cpu", 4000 / per_node}};
                pod.spec.priority = priority;
                pod.spec.node_selector = selector;
                pod.created =
                    noon - (has_one_age ? age : std::chrono::minutes(10 + dice.below(60)));
                waiting.push_back(&pod);
            }
        }
        c.expander = PreferenceExpander({dice.word({"a", "b", "c"})});
    }
    void join(const std::string& group) {
        const std::string name = group + "-" + std::to_string(++nodes);
        snapshot::NodeObject& node = c.test_cluster.node(name, group);
        node.labels = {{"pool", group}, {hostname_key, name}};
    }

    PassCase c{};
    int per_node = 1, nodes = 0;
    std::vector<snapshot::PodObject*> waiting{};
};

// In any scheduling order, no more nodes are added than if all pods went to group c, which fits all
// of them.
TEST(PackingOnRandomClusters, AddsNoExtraNodesForPinnedPods) {
    for (const Strategy strategy : strategies) {
        for (std::uint64_t seed = 1; seed <= packing_cases; ++seed) {
            PinnedCase each(seed);
            const auto pods = static_cast<int>(each.waiting.size());
            run_until_stable(each.c, each.waiting, strategy, 6,
                             [&](const std::string& group) { each.join(group); });
            EXPECT_TRUE(each.waiting.empty()) << "seed " << seed;
            EXPECT_LE(each.nodes, (pods + each.per_node - 1) / each.per_node) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace capstan::engine::scale_up
