#include "engine/snapshot/pod_spec.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace capstan::engine::snapshot {
namespace {

PodSpec sample() {
    PodSpec spec;
    spec.requests = {{"cpu", 500}, {"memory", 1 << 30}};
    spec.tolerations = {{.key = "dedicated", .value = "gpu"}};
    spec.pod_anti_affinity = {{.selector = LabelSelector{.match_labels = {{"app", "web"}}},
                               .topology_key = "kubernetes.io/hostname"}};
    spec.spread = {{.topology_key = "topology.kubernetes.io/zone"}};
    spec.priority = 0;
    return spec;
}

TEST(PodSpec, HasEqualHashesIfEqual) {
    EXPECT_EQ(sample(), sample());
    EXPECT_EQ(hash_of(sample()), hash_of(sample()));
    EXPECT_EQ(hash_of(PodSpec{}), hash_of(PodSpec{}));
}

TEST(PodSpec, HasTheSameHashOnEveryPlatform) {
    EXPECT_EQ(hash_of(PodSpec{}), 6208488185654007596u);
    EXPECT_EQ(hash_of(sample()), 440438414483031952u);
}

TEST(PodSpec, HashesEveryField) {
    const std::vector<std::function<void(PodSpec&)>> changes = {
        [](PodSpec& s) { s.requests.set("cpu", 501); },
        [](PodSpec& s) { s.node_selector["disk"] = "ssd"; },
        [](PodSpec& s) { s.affinity_required.emplace_back(); },
        [](PodSpec& s) { s.affinity_preferred.emplace_back(); },
        [](PodSpec& s) { s.tolerations[0].effect = Effect::no_schedule; },
        [](PodSpec& s) { s.pod_affinity.emplace_back(); },
        [](PodSpec& s) { s.pod_anti_affinity[0].namespace_selector.emplace(); },
        [](PodSpec& s) { s.spread[0].min_domains = 1; },
        [](PodSpec& s) { s.has_soft_spread = true; },
        [](PodSpec& s) { s.ports.push_back({.port = 80}); },
        [](PodSpec& s) { s.priority.reset(); },
        [](PodSpec& s) { s.priority_class = "high"; },
        [](PodSpec& s) { s.never_preempts = true; },
        [](PodSpec& s) { s.scheduler = "volcano"; },
        [](PodSpec& s) { s.uses_resource_claims = true; },
        [](PodSpec& s) { s.uses_local_storage = true; },
        [](PodSpec& s) { s.local_volumes = {"tmp"}; },
        [](PodSpec& s) { s.in_tree_volumes = {{.driver = "d", .handle = "h"}}; },
        [](PodSpec& s) { s.termination_grace = std::chrono::seconds(5); },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        PodSpec changed = sample();
        changes[i](changed);
        EXPECT_NE(changed, sample()) << "change " << i;
        EXPECT_NE(hash_of(changed), hash_of(sample())) << "change " << i;
    }
}

}  // namespace
}  // namespace capstan::engine::snapshot
