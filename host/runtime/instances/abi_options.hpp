/// A question to expanders as it crosses the boundary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <capstan/abi/expander.h>
#include <capstan/to_abi.hpp>

#include "engine/policies.hpp"

namespace capstan::runtime::instances {

/// The options `among` of `question`, which it borrows from.
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

}  // namespace capstan::runtime::instances
