/// Karpenter's scheduling benchmark: pods that look at each other, no nodes, many machine types.
#pragma once

#include <cstdint>

#include "engine/snapshot.hpp"

namespace capstan::bench {

struct Mix {
    int pods = 1000;
    int machines = 400;
    std::uint64_t seed = 42;
};

/// A fifth of the pods each: plain, spread over zones, spread over hosts, together in a zone, apart
/// on hosts; so a fifth of their number is the least possible number of nodes. Machine type k is
/// one group of k cores, 2k GiB and 10k pods.
engine::Snapshot make_mixed_snapshot(const Mix& mix);

}  // namespace capstan::bench
