// Cases that measure one part of a pass.
#include <numeric>
#include <optional>
#include <string>

#include "cases.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "measured.hpp"
#include "pipeline.hpp"

namespace capstan::bench {

boost::json::object measure_snapshot(const Workload& workload, int repeat) {
    const auto nodes = make_nodes(workload);
    const auto pods = make_running_pods(workload);
    std::optional<engine::snapshot::ClusterBuilder> builder;
    std::size_t bytes = 0;
    const Measured measured = Measured::repeat(
        repeat, [&] { builder.emplace(); },
        [&] {
            for (const auto& node : nodes) builder->set(node);
            for (const auto& pod : pods) builder->set(pod);
            bytes = builder->build().bytes();
        });
    const Measured again =
        Measured::repeat(repeat, [] {}, [&] { bytes = builder->build().bytes(); });
    return measured.line("snapshot", {{"nodes", workload.nodes},
                                      {"pods", pods.size()},
                                      {"snapshot_mb", static_cast<double>(bytes) / (1 << 20)},
                                      {"seconds_unchanged", again.median()}});
}

boost::json::object measure_similar(const Workload& workload, bool deciding, int repeat) {
    const BenchPipeline pipeline(std::string(R"([pipeline.scale_up]
similarity = ["resources", "labels"]
)") + (deciding ? R"([plugin.labels]
settings = { same = ["example.com/pool"] }
)"
                : ""));
    std::vector<NodeTemplate> templates;
    const auto groups = make_groups(workload);
    for (const engine::Group& group : *groups) templates.push_back(*group.described);
    std::size_t pairs = 0;
    const Measured measured = Measured::repeat(
        repeat, [&] { pairs = 0; },
        [&] {
            plugin_runtime::instances::PassWatch watch;
            const autoscaler::PassPolicies policies = pipeline.policies(watch);
            for (const auto& similar :
                 engine::scale_up::similar_groups(policies.similarity(), templates, {.seed = 1}))
                pairs += similar.size();
        });
    std::vector<std::size_t> all(templates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Measured one = Measured::repeat(
        repeat, [] {},
        [&] {
            plugin_runtime::instances::PassWatch watch;
            const autoscaler::PassPolicies policies = pipeline.policies(watch);
            const engine::CallContext now{.seed = 1};
            engine::scale_up::SimilarGroups(policies.similarity(), templates, now).find(0, all);
        });
    return measured.line("similar", {{"groups", workload.groups},
                                     {"deciding", deciding},
                                     {"cpu_seconds_one", one.cpu_median()},
                                     {"similar_pairs", pairs / 2}});
}

}  // namespace capstan::bench
