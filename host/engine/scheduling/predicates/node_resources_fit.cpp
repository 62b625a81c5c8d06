#include "engine/scheduling/predicates/node_resources_fit.hpp"

#include <algorithm>

#include <capstan/quantity.hpp>

namespace capstan::engine {
namespace {

std::string shortage(const ResourceFacts& facts) {
    const auto amount = [&](std::int64_t n) { return format_amount(facts.name, n); };
    if (facts.name == "pods") {
        return in_short(facts) + ": " + amount(facts.requested) + " of " +
               amount(facts.allocatable) + " are there";
    }
    // Overcommitted is as good as full; a negative amount would only puzzle.
    const std::int64_t free = std::max(facts.allocatable - facts.requested, std::int64_t{0});
    return in_short(facts) + ": needs " + amount(facts.wanted) + ", " + amount(free) + " of " +
           amount(facts.allocatable) + " are free";
}

}  // namespace

std::string in_short(const ResourceFacts& facts) {
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

}  // namespace capstan::engine
