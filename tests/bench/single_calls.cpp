// capstan-bench-parts: the cost of single calls, with Google Benchmark.
#include <benchmark/benchmark.h>

#include <capstan/quantity.hpp>

#include "engine/pods/pending.hpp"
#include "engine/scale_up/progress.hpp"
#include "engine/scheduling/placement.hpp"
#include "kubernetes/objects/list_decoder.hpp"
#include "kubernetes_text.hpp"
#include "workload.hpp"

namespace capstan::bench {
namespace {

void ParseQuantity(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(parse_quantity("1536Mi"));
}
BENCHMARK(ParseQuantity);

void MatchNodeAffinity(benchmark::State& state) {
    const Labels labels = make_nodes({.nodes = 1}).front().labels;
    const std::vector<NodeSelectorTerm> terms{
        {.labels = {{.key = "topology.kubernetes.io/zone", .values = {"r1-b", "r1-a"}},
                    {.key = "example.com/team", .op = Operator::exists}}}};
    for (auto _ : state) benchmark::DoNotOptimize(matches_any(terms, labels, "node"));
}
BENCHMARK(MatchNodeAffinity);

void DecodePod(benchmark::State& state) {
    const std::string text = pod_text(1);
    engine::snapshot::ClusterBuilder builder;
    for (auto _ : state) {
        kubernetes::objects::ListDecoder decoder(builder);
        benchmark::DoNotOptimize(decoder.feed(text));
        decoder.finish();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(DecodePod);

/// Predicates for the pending pods of a workload, its nodes, and one machine type of 32 cores.
engine::scheduling::CompiledPredicates compile_predicates(
    const engine::snapshot::Cluster& cluster) {
    const engine::pods::PendingPods pending = engine::pods::find_pending(cluster, {}, bench_time);
    std::vector<engine::PodGroupId> pod_groups;
    for (const engine::PodCount& pods : pending.pod_groups)
        pod_groups.push_back(pods.equivalence_group);
    const engine::scheduling::TemplateNode machine{
        .labels = {{"topology.kubernetes.io/zone", "r1-a"}},
        .allocatable = {{"cpu", 32_cpu}, {"memory", 128_GiB}, {"pods", 110}}};
    return engine::scheduling::CompiledPredicates(cluster, std::move(pod_groups), {machine});
}

void CompilePredicates(benchmark::State& state) {
    const auto snapshot = make_snapshot({.nodes = 5000,
                                         .pods = 1000,
                                         .classes = static_cast<int>(state.range(0)),
                                         .constraint = Constraint::zone_spread});
    for (auto _ : state) benchmark::DoNotOptimize(compile_predicates(snapshot.cluster));
}
BENCHMARK(CompilePredicates)->Arg(1)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void PlaceOnFullNodes(benchmark::State& state) {
    const auto snapshot = make_snapshot({.nodes = 5000, .pods = 100, .classes = 100});
    engine::scheduling::CompiledPredicates predicates = compile_predicates(snapshot.cluster);
    const engine::scheduling::Placement placement(predicates);
    for (auto _ : state) {
        for (engine::PodGroupIndex pod_group = 0; pod_group < 100; ++pod_group)
            benchmark::DoNotOptimize(placement.find(pod_group, 0, 5000));
    }
    state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(PlaceOnFullNodes);

void EstimateFiftyThousandPods(benchmark::State& state) {
    const int classes = static_cast<int>(state.range(0));
    const auto snapshot = make_snapshot({.nodes = 0, .pods = 50'000, .classes = classes});
    engine::scheduling::CompiledPredicates predicates = compile_predicates(snapshot.cluster);
    engine::scheduling::Placement placement(predicates);
    std::vector<engine::scale_up::Demand> pods;
    for (engine::PodGroupIndex pod_group = 0; pod_group < predicates.pod_groups().size();
         ++pod_group)
        pods.push_back({pod_group, 50'000 / classes});
    for (auto _ : state) {
        const engine::scheduling::Placement::Mark before = placement.mark();
        benchmark::DoNotOptimize(engine::scale_up::estimate(placement, 0, pods, 100'000));
        placement.undo(before);
    }
}
BENCHMARK(EstimateFiftyThousandPods)->Arg(1)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void BuildClusterAfterOnePod(benchmark::State& state) {
    engine::snapshot::ClusterBuilder builder;
    const Workload workload{.nodes = 5000};
    for (const auto& node : make_nodes(workload)) builder.set(node);
    for (const auto& pod : make_running_pods(workload)) builder.set(pod);
    const auto pending = make_pending_pods({.pods = 1});
    for (auto _ : state) {
        builder.set(pending.front());
        benchmark::DoNotOptimize(builder.build());
        builder.remove_pod(pending.front().ns, pending.front().name);
    }
}
BENCHMARK(BuildClusterAfterOnePod)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace capstan::bench

BENCHMARK_MAIN();
