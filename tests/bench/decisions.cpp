// Cases that run a pass.
#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "engine/pass/pass.hpp"
#include "measured.hpp"
#include "pipeline.hpp"

namespace capstan::bench {
namespace {

constexpr const char* chain = R"([pipeline.scale_up]
expanders = ["least_waste", "random"]
similarity = []
)";

engine::Settings settings() {
    engine::Settings out;
    out.max_nodes_per_scale_up = 0;
    return out;
}

engine::pass::Outcome decide(const engine::Snapshot& snapshot, const BenchPipeline& pipeline,
                             const engine::Settings& pass_settings) {
    plugin_runtime::instances::PassWatch watch;
    const autoscaler::PassPolicies policies = pipeline.policies(watch);
    return engine::pass::run_pass(snapshot, {}, {.chain = policies.chain(), .similarity = {}},
                                  pass_settings, {.seed = 1, .now = bench_time});
}

std::int64_t total(const std::vector<engine::PodCount>& pods) {
    std::int64_t sum = 0;
    for (const engine::PodCount& count : pods) sum += count.count;
    return sum;
}

std::int64_t pods_left(const engine::Decision& decision) {
    std::int64_t sum = 0;
    for (const engine::UnschedulablePods& unschedulable : decision.unschedulable)
        sum += unschedulable.pods.count;
    return sum;
}

double cores(const Resources& resources) {
    return static_cast<double>(resources.amount("cpu")) / 1000;
}

/// A lower bound of the cores of any packing of these pods on machines of these groups. It is the
/// larger of two numbers: the cores that the pods request, and their memory divided by the most
/// memory per core that a machine has.
double cores_lower_bound(const engine::Snapshot& snapshot,
                         const std::vector<engine::PodCount>& schedulable) {
    Resources requested;
    for (const engine::PodCount& count : schedulable)
        requested += snapshot.cluster.equivalence_group(count.equivalence_group).spec->requests *
                     count.count;
    double memory_per_core = 0;
    for (const engine::Group& group : *snapshot.groups) {
        const Resources& machine = group.described->allocatable;
        memory_per_core = std::max(memory_per_core,
                                   static_cast<double>(machine.amount("memory")) / cores(machine));
    }
    if (memory_per_core == 0) return cores(requested);
    return std::max(cores(requested),
                    static_cast<double>(requested.amount("memory")) / memory_per_core);
}

boost::json::object outcome_json(const engine::Snapshot& snapshot,
                                 const engine::Decision& decision) {
    int nodes = 0;
    double added = 0;
    for (const engine::Increase& increase : decision.increases) {
        nodes += increase.by;
        const auto group = std::ranges::find(
            *snapshot.groups, increase.group,
            [](const engine::Group& g) -> const NodeGroupId& { return g.group.id; });
        added += increase.by * cores(group->described->capacity);
    }
    return {{"nodes_added", nodes},
            {"groups_grown", decision.increases.size()},
            {"pods_helped", total(decision.schedulable)},
            {"pods_left", pods_left(decision)},
            {"cores_added", added},
            {"cores_lower_bound", std::round(cores_lower_bound(snapshot, decision.schedulable))}};
}

boost::json::object measure_pass(std::string_view name, const engine::Snapshot& snapshot,
                                 int repeat, boost::json::object members,
                                 const engine::Settings& pass_settings = settings()) {
    const BenchPipeline pipeline(chain);
    engine::pass::Outcome outcome;
    const Measured measured = Measured::repeat(
        repeat, [] {}, [&] { outcome = decide(snapshot, pipeline, pass_settings); });
    for (const auto& member : outcome_json(snapshot, outcome.decision))
        members[member.key()] = member.value();
    return measured.line(name, members);
}

boost::json::object size_json(const Workload& workload) {
    return {{"nodes", workload.nodes},
            {"pods", workload.pods},
            {"classes", workload.classes},
            {"groups", workload.groups}};
}

}  // namespace

boost::json::object measure_scale_up(const Workload& workload, int repeat) {
    return measure_pass("scale-up", make_snapshot(workload), repeat, size_json(workload));
}

boost::json::object measure_scale_down(const Workload& workload, int repeat) {
    Workload running = workload;
    running.pods = 0;
    if (running.shape == Shape::as_configured) running.shape = Shape::packable;
    const engine::Snapshot snapshot = make_snapshot(running);
    engine::pass::Outcome outcome;
    const Measured measured = Measured::repeat(
        repeat, [] {},
        [&] {
            outcome = engine::pass::run_pass(snapshot, {}, {}, settings(),
                                             {.seed = 1, .now = bench_time});
        });
    const std::size_t unneeded = outcome.memory.unneeded.size();
    return measured.line("scale-down", {{"nodes", running.nodes},
                                        {"pods_per_node", running.running_per_node},
                                        {"groups", running.groups},
                                        {"unneeded", unneeded},
                                        {"needed", outcome.decision.nodes.size() - unneeded}});
}

boost::json::object measure_mixed(const Mix& mix, int repeat) {
    return measure_pass("mixed", make_mixed_snapshot(mix), repeat,
                        {{"pods", mix.pods}, {"machines", mix.machines}});
}

boost::json::object measure_spread(const SpreadWorkload& workload, int repeat) {
    engine::Settings pass_settings = settings();
    if (workload.emulated) pass_settings.emulated_spread_label = spread_label;
    return measure_pass("spread", make_spread_snapshot(workload), repeat,
                        {{"nodes", workload.nodes},
                         {"pods", workload.replica_sets * workload.pending},
                         {"emulated", workload.emulated}},
                        pass_settings);
}

boost::json::object measure_provisioning(const ProvisioningWorkload& workload, int repeat) {
    const BenchPipeline pipeline(std::string(chain) + "group_sources = [\"provisioning\"]\n" +
                                 "[plugin.provisioning]\nsettings = { max_groups = 100000 }\n");
    const engine::Snapshot snapshot = make_provisioning_snapshot(workload);
    engine::Decision decision;
    const Measured measured = Measured::repeat(
        repeat, [] {},
        [&] {
            plugin_runtime::instances::PassWatch watch;
            const autoscaler::PassPolicies plugins = pipeline.policies(watch);
            BenchGroupMaker maker(snapshot);
            engine::Policies policies = plugins.policies();
            policies.maker = &maker;
            decision = engine::pass::run_pass(snapshot, {}, policies, settings(),
                                              {.seed = 1, .now = bench_time})
                           .decision;
        });
    return measured.line("provisioning", {{"nodes", workload.cluster.nodes},
                                          {"groups", workload.cluster.groups},
                                          {"candidates", decision.new_groups.size()},
                                          {"groups_made", decision.creations.size()},
                                          {"pods_helped", total(decision.schedulable)},
                                          {"pods_left", pods_left(decision)}});
}

boost::json::object measure_filter(const Workload& workload, int repeat) {
    engine::Snapshot snapshot = make_snapshot(workload);
    snapshot.groups = std::make_shared<const std::vector<engine::Group>>();
    return measure_pass("filter", snapshot, repeat, size_json(workload));
}

}  // namespace capstan::bench
