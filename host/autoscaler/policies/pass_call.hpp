/// The context of a pass, as the calls of plugins have it.
#pragma once

#include "engine/policies.hpp"
#include "plugin_runtime/instances/hook_call.hpp"

namespace capstan::autoscaler::policies {

inline plugin_runtime::instances::PassCall call_of(
    const engine::CallContext& call_context) noexcept {
    return {.flags = (call_context.dry_run ? std::uint32_t{CAPSTAN_CALL_DRY_RUN} : 0u) |
                     (call_context.simulation ? std::uint32_t{CAPSTAN_CALL_SIMULATION} : 0u),
            .seed = call_context.seed,
            .now = call_context.now};
}

}  // namespace capstan::autoscaler::policies
