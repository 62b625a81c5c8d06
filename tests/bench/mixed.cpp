#include "mixed.hpp"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "engine/snapshot/cluster_builder.hpp"
#include "workload.hpp"

namespace capstan::bench {
namespace {

using engine::snapshot::PodObject;
constexpr const char* zone_key = "topology.kubernetes.io/zone";
constexpr const char* host_key = "kubernetes.io/hostname";

/// Seeded random choices.
class RandomChoices {
public:
    explicit RandomChoices(std::uint64_t seed) : random_(seed) {}

    template <std::size_t n>
    std::int64_t from(const std::array<std::int64_t, n>& values) {
        return values[random_() % n];
    }
    /// One of seven label values, "a" to "g".
    std::string letter() { return std::string(1, char('a' + random_() % 7)); }

private:
    std::mt19937_64 random_;
};

/// Which of the five kinds a pod is.
enum class Kind { plain, zone_spread, host_spread, zone_affinity, host_anti_affinity };

LabelSelector selects(const char* key, const std::string& value) {
    return {.match_labels = {{key, value}}};
}

void add_constraint(PodObject& pod, Kind kind, RandomChoices& choices) {
    constexpr const char* own = "my-label";
    constexpr const char* together = "my-affinity";
    switch (kind) {
        case Kind::plain: pod.labels = {{own, choices.letter()}}; break;
        case Kind::zone_spread:
        case Kind::host_spread:
            pod.labels = {{own, choices.letter()}};
            pod.spec.spread.push_back(
                {.topology_key = kind == Kind::zone_spread ? zone_key : host_key,
                 .selector = selects(own, choices.letter())});
            break;
        case Kind::zone_affinity:
            pod.labels = {{together, choices.letter()}};
            pod.spec.pod_affinity.push_back(
                {.selector = selects(together, pod.labels.at(together)), .topology_key = zone_key});
            break;
        case Kind::host_anti_affinity:
            pod.labels = {{"app", "nginx"}};
            pod.spec.pod_anti_affinity.push_back(
                {.selector = selects("app", "nginx"), .topology_key = host_key});
            break;
    }
}

PodObject make_mixed_pod(int number, int pods, RandomChoices& choices) {
    constexpr std::array<std::int64_t, 5> cpus{100, 250, 500, 1000, 1500};
    constexpr std::array<std::int64_t, 6> mebibytes{100, 256, 512, 1024, 2048, 4096};
    PodObject pod{.name = "pod-" + std::to_string(number),
                  .unscheduled_reason = "Unschedulable",
                  .created = bench_time - std::chrono::minutes(1)};
    pod.spec.priority = 0;
    pod.spec.requests = {{"cpu", choices.from(cpus)}, {"memory", choices.from(mebibytes) * 1_MiB}};
    add_constraint(pod, static_cast<Kind>(std::int64_t{number} * 5 / pods), choices);
    return pod;
}

engine::Group make_group(int cores) {
    const std::string name = "machine-" + std::to_string(1000 + cores);
    const std::string zone = "zone-" + std::to_string(cores % 3 + 1);
    const Resources machine{
        {"cpu", cores * 1000}, {"memory", 2 * cores * 1_GiB}, {"pods", 10 * cores}};
    return {.group = {.id = NodeGroupId(name), .min = 0, .target = 0},
            .cloud = PluginInstanceId("bench"),
            .described = std::make_shared<const NodeTemplate>(
                NodeTemplate{.name = name,
                             .machine_type = name,
                             .zone = zone,
                             .arch = "amd64",
                             .os = "linux",
                             .labels = {{zone_key, zone},
                                        {"node.kubernetes.io/instance-type", name},
                                        {"kubernetes.io/os", "linux"},
                                        {"kubernetes.io/arch", "amd64"}},
                             .capacity = machine,
                             .allocatable = machine,
                             .free = machine})};
}

}  // namespace

engine::Snapshot make_mixed_snapshot(const Mix& mix) {
    engine::snapshot::ClusterBuilder builder;
    RandomChoices choices(mix.seed);
    for (int i = 0; i < mix.pods; ++i) builder.set(make_mixed_pod(i, mix.pods, choices));
    auto groups = std::make_shared<std::vector<engine::Group>>();
    for (int k = 1; k <= mix.machines; ++k) groups->push_back(make_group(k));
    return {builder.build(), std::move(groups)};
}

}  // namespace capstan::bench
