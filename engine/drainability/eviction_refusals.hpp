/// Refused evictions: since when, how often, and why.
#pragma once

#include <optional>
#include <string>

#include <capstan/error.hpp>

#include "engine/actions.hpp"
#include "engine/memory.hpp"

namespace capstan::engine::drainability {

/// "namespace/name/uid", the key of NodeRemoval::evictions.
std::string pod_key(const Eviction& eviction);

/// Whether the last answer to the eviction was a refusal.
bool is_refused(const NodeRemoval::Eviction& eviction) noexcept;

/// Records one more refusal.
void note_refusal(NodeRemoval::Eviction& eviction, ErrorCode code, std::string because, Time now);

/// The record of earlier requests for the eviction; NULL: it was not requested yet. Borrows from
/// `memory`.
const NodeRemoval::Eviction* find_eviction(const Memory& memory, const Eviction& eviction);

/// The refused eviction that best explains why a drain takes so long.
struct RefusedPod {
    std::string pod{};      ///< "namespace/name"
    std::string because{};  ///< "eviction of pod shop/web-1 refused for 2m: ..."
};

/// Of the refused evictions of the drain, one with `barred_since` comes first; among equals, the
/// one that has been refused for longest. Absent: no eviction is refused now.
std::optional<RefusedPod> find_refused_pod(const NodeRemoval& removal, Time now);

}  // namespace capstan::engine::drainability
