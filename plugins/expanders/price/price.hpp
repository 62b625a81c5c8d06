/// Keeps the options that cost the least in relation to the pods that they let run.
#pragma once

#include <cstdint>
#include <utility>

#include <capstan/expander.hpp>

#include "config.hpp"

namespace capstan::expanders {

/// Cores of the machine that suits a cluster of that many nodes. Small clusters grow by small
/// machines.
int preferred_cores(std::uint32_t cluster_nodes) noexcept;

/// How badly a machine of `cores` suits a cluster that prefers `preferred`: 1 is perfect, 4 is four
/// times too large or too small, and a machine with a GPU has 1000. The more nodes are added at
/// once, the closer the result is to 1.
double suppressed_unfitness(double cores, double preferred, bool has_gpu,
                            std::int32_t nodes) noexcept;

/// The score is upstream's; the lowest score wins:
///     suppressed unfitness x (price of the nodes + s) / (worth of the pods + s)
/// where s is the worth of half a core and 500 MiB, so that tiny pods do not dominate the score.
/// The score of a group to be created is doubled. An option without a price, or without a template
/// that states cpu, is left out; when that is so for all options, all pass.
class Price {
public:
    explicit Price(PriceConfig config) : config_(std::move(config)) {}
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;

private:
    PriceConfig config_;
};

}  // namespace capstan::expanders
