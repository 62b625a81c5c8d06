/// Karpenter's scheduling benchmark: pods with inter-pod constraints, no nodes, many machine types.
#pragma once

#include <cstdint>

#include "engine/snapshot.hpp"

namespace capstan::bench {

struct Mix {
    int pods = 1000;
    int machines = 400;
    std::uint64_t seed = 42;
};

/// Five kinds of pods, a fifth each: plain, spread over zones, spread over hosts, with affinity in
/// a zone, with anti-affinity on hosts. Because of the last kind the number of nodes is at least a
/// fifth of the number of pods. Machine type k is one group of k cores, 2k GiB and 10k pods.
engine::Snapshot make_mixed_snapshot(const Mix& mix);

}  // namespace capstan::bench
