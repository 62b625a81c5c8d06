/// A node as the predicates of one node alone see it. The node exists or is new.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <capstan/labels.hpp>
#include <capstan/taints.hpp>

namespace capstan::engine::scheduling {

/// Borrows everything.
struct NodeFacts {
    std::string_view name{};  ///< empty: a new node, or the name is not read
    const Labels& labels;
    std::span<const Taint> taints{};
    bool unschedulable = false;
    std::optional<std::uint32_t> template_node{};  ///< the template of a new node, if it is read
};

}  // namespace capstan::engine::scheduling
