/// A question to an expander in the structs of the C boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <capstan/abi/expander.h>
#include <capstan/to_abi.hpp>

#include "engine/policies.hpp"

namespace capstan::plugin_runtime::instances {

/// The options of `question` with the indices `among`. Borrows from `question`.
struct AbiOptions {
    AbiOptions(const engine::ScaleUpQuestion& question, std::span<const std::uint32_t> among) {
        options.reserve(among.size());
        for (const std::uint32_t i : among) options.push_back(arena.to_abi(question.options[i]));
        in = {sizeof in, question.cluster_nodes, array_of(options), arena.list(question.pods)};
    }
    AbiOptions(const AbiOptions&) = delete;
    AbiOptions& operator=(const AbiOptions&) = delete;

    AbiArena arena;
    std::vector<capstan_option> options;
    capstan_expander_request in{};
};

}  // namespace capstan::plugin_runtime::instances
