// capstan-bench-parts: what single calls cost, by Google Benchmark.
#include <benchmark/benchmark.h>

#include <capstan/quantity.hpp>

#include "engine/scale_up/estimate.hpp"
#include "engine/scale_up/pending.hpp"
#include "engine/scheduling/placement.hpp"
#include "kubernetes/list_decoder.hpp"
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
    engine::ClusterBuilder builder;
    for (auto _ : state) {
        kubernetes::ListDecoder decoder(builder);
        benchmark::DoNotOptimize(decoder.feed(text));
        decoder.finish();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(DecodePod);

/// The pending classes of a workload, against its nodes and one machine of 32 cores.
engine::Rules make_rules(const engine::Cluster& cluster) {
    const engine::PendingPods pending = engine::find_pending(cluster, {}, bench_time);
    std::vector<engine::ClassId> subjects;
    for (const engine::PodCount& pods : pending.classes) subjects.push_back(pods.equivalence_group);
    const engine::NodeShape shape{
        .labels = {{"topology.kubernetes.io/zone", "r1-a"}},
        .allocatable = {{"cpu", 32_cpu}, {"memory", 128_GiB}, {"pods", 110}}};
    return engine::Rules(cluster, std::move(subjects), {shape});
}

void MakeRules(benchmark::State& state) {
    const auto snapshot = make_snapshot({.nodes = 5000,
                                         .pods = 1000,
                                         .classes = static_cast<int>(state.range(0)),
                                         .constraint = Constraint::zone_spread});
    for (auto _ : state) benchmark::DoNotOptimize(make_rules(snapshot.cluster));
}
BENCHMARK(MakeRules)->Arg(1)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void LookForRoomOnFullNodes(benchmark::State& state) {
    const auto snapshot = make_snapshot({.nodes = 5000, .pods = 100, .classes = 100});
    engine::Rules rules = make_rules(snapshot.cluster);
    const engine::Placement placement(rules);
    for (auto _ : state) {
        for (engine::Subject subject = 0; subject < 100; ++subject)
            benchmark::DoNotOptimize(placement.find(subject, 0, 5000));
    }
    state.SetItemsProcessed(state.iterations() * 100);
}
BENCHMARK(LookForRoomOnFullNodes);

void EstimateFiftyThousandPods(benchmark::State& state) {
    const int classes = static_cast<int>(state.range(0));
    const auto snapshot = make_snapshot({.nodes = 0, .pods = 50'000, .classes = classes});
    engine::Rules rules = make_rules(snapshot.cluster);
    engine::Placement placement(rules);
    std::vector<engine::Demand> pods;
    for (engine::Subject subject = 0; subject < rules.subjects().size(); ++subject)
        pods.push_back({subject, 50'000 / classes});
    for (auto _ : state) {
        const engine::Placement::Mark before = placement.mark();
        benchmark::DoNotOptimize(engine::estimate(placement, 0, pods, 100'000));
        placement.undo(before);
    }
}
BENCHMARK(EstimateFiftyThousandPods)->Arg(1)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void BuildClusterAfterOnePod(benchmark::State& state) {
    engine::ClusterBuilder builder;
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
