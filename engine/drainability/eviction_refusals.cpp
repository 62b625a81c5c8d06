#include "engine/drainability/eviction_refusals.hpp"

#include <tuple>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

namespace capstan::engine::drainability {

std::string pod_key(const Eviction& eviction) {
    return eviction.ns + "/" + eviction.pod + "/" + eviction.uid;
}

bool is_refused(const NodeRemoval::Eviction& eviction) noexcept {
    return eviction.refused > eviction.agreed;
}

void note_refusal(NodeRemoval::Eviction& eviction, ErrorCode code, std::string because, Time now) {
    if (!eviction.refused_since) eviction.refused_since = now;
    ++eviction.refusals;
    eviction.refused = now;
    eviction.refused_code = code;
    eviction.refused_because = std::move(because);
}

const NodeRemoval::Eviction* find_eviction(const Memory& memory, const Eviction& eviction) {
    const auto find_in = [&](const auto& nodes) -> const NodeRemoval::Eviction* {
        const auto node = nodes.find(eviction.node);
        if (node == nodes.end()) return nullptr;
        const auto at = node->second.evictions.find(pod_key(eviction));
        return at != node->second.evictions.end() ? &at->second : nullptr;
    };
    const NodeRemoval::Eviction* const of_removal = find_in(memory.removals);
    return of_removal != nullptr ? of_removal : find_in(memory.leaving);
}

std::optional<RefusedPod> find_refused_pod(const NodeRemoval& removal, Time now) {
    const auto since = [](const NodeRemoval::Eviction& eviction) {
        return eviction.refused_since.value_or(*eviction.refused);
    };
    const std::pair<const std::string, NodeRemoval::Eviction>* first = nullptr;
    int others = -1;
    for (const auto& entry : removal.evictions) {
        const NodeRemoval::Eviction& eviction = entry.second;
        if (!is_refused(eviction)) continue;
        ++others;
        const auto rank = [&](const NodeRemoval::Eviction& of) {
            return std::tuple(!of.barred_since.has_value(), since(of));
        };
        if (first == nullptr || rank(eviction) < rank(first->second)) first = &entry;
    }
    if (first == nullptr) return std::nullopt;
    const std::string pod = first->first.substr(0, first->first.rfind('/'));
    const NodeRemoval::Eviction& eviction = first->second;
    std::string because = "eviction of pod " + pod + " refused for " +
                          format_rough_duration(now - since(eviction)) + ": " +
                          eviction.refused_because.text();
    if (others > 0) because += "; also refused: " + counted(others, "more pod");
    return RefusedPod{pod, std::move(because)};
}

}  // namespace capstan::engine::drainability
