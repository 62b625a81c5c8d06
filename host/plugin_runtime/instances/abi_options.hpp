/// A question to an expander in the structs of the C boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <capstan/abi/expander.h>
#include <capstan/pod.hpp>
#include <capstan/scale_up_option.hpp>
#include <capstan/to_abi.hpp>

namespace capstan::plugin_runtime::instances {

/// The options of `all` with the indices `among`, for `pods`. Borrows from `all` and `pods`.
struct AbiOptions {
    AbiOptions(std::span<const ScaleUpOption> all, const std::vector<PodEquivalenceGroup>& pods,
               std::uint32_t cluster_nodes, std::span<const std::uint32_t> among) {
        options.reserve(among.size());
        for (const std::uint32_t i : among) options.push_back(arena.to_abi(all[i]));
        in = {sizeof in, cluster_nodes, array_of(options), arena.list(pods)};
    }
    AbiOptions(const AbiOptions&) = delete;
    AbiOptions& operator=(const AbiOptions&) = delete;

    AbiArena arena;
    std::vector<capstan_option> options;
    capstan_expander_request in{};
};

}  // namespace capstan::plugin_runtime::instances
