/// Evictions that are refused: since when, how often, and why.
#pragma once

#include <optional>
#include <string>

#include <capstan/error.hpp>

#include "engine/actions.hpp"
#include "engine/memory.hpp"

namespace capstan::engine::drainability {

/// "namespace/name/uid", as removals know it.
std::string pod_key(const Eviction& eviction);

/// Whether the last answer to it was a refusal.
bool is_refused(const NodeRemoval::Eviction& eviction) noexcept;

/// One more refusal in the row.
void note_refusal(NodeRemoval::Eviction& eviction, ErrorCode code, std::string because, Time now);

/// What became of asking for it before; NULL: it was not asked for. Borrows from `memory`.
const NodeRemoval::Eviction* find_eviction(const Memory& memory, const Eviction& eviction);

/// The pod of a drain that tells most of why it takes so long.
struct RefusedPod {
    std::string pod{};      ///< "namespace/name"
    std::string because{};  ///< "pod shop/web-1 has been refused its eviction for 2m: ..."
};

/// A barred pod comes before pods that budgets protect; among equals, the pod that has been refused
/// for longest. Nothing: every eviction of the drain is allowed now.
std::optional<RefusedPod> find_refused_pod(const NodeRemoval& removal, Time now);

}  // namespace capstan::engine::drainability
