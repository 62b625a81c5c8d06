#include "engine/scheduling/predicates/node_resources_fit.hpp"

#include <algorithm>

#include "engine/snapshot/amount_text.hpp"

namespace capstan::engine::scheduling {
namespace {

std::string shortage(const ResourceFacts& facts) {
    if (facts.name == "pods") {
        return brief_text(facts) + ": " + std::to_string(facts.requested) + " of " +
               std::to_string(facts.allocatable) + " are used";
    }
    // An overcommitted node is written as full, since a negative amount would confuse the reader.
    const std::int64_t free = std::max(facts.allocatable - facts.requested, std::int64_t{0});
    const snapshot::AmountText amount(facts.name, facts.wanted);
    return brief_text(facts) + ": needs " + amount.rounded_up(facts.wanted) + ", " +
           amount.rounded_down(free) + " of " + amount.rounded_down(facts.allocatable) +
           " are free" +
           (facts.daemons > 0 ? " (" + amount.rounded_up(facts.daemons) + " for DaemonSets)" : "");
}

}  // namespace

std::string brief_text(const ResourceFacts& facts) {
    return facts.name == "pods" ? "Too many pods" : "Insufficient " + std::string(facts.name);
}

std::optional<std::string> check_node_resources_fit(std::span<const ResourceFacts> resources) {
    std::string out;
    for (const ResourceFacts& facts : resources) {
        if (is_sufficient(facts)) continue;
        out += (out.empty() ? "" : "; ") + shortage(facts);
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace capstan::engine::scheduling
