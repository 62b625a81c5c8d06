#include "simulation/fault.hpp"

namespace capstan::simulation {

std::string_view name_of(FaultKind kind) noexcept {
    switch (kind) {
        case FaultKind::stock_out: return "stock_out";
        case FaultKind::quota: return "quota";
        case FaultKind::api_error: return "api_error";
        case FaultKind::throttled: return "throttled";
        case FaultKind::unauthenticated: return "unauthenticated";
        case FaultKind::slow_calls: return "slow_calls";
        case FaultKind::silent: return "silent";
        case FaultKind::removal_fails: return "removal_fails";
        case FaultKind::lost_machine: return "lost_machine";
        case FaultKind::never_joins: return "never_joins";
        case FaultKind::flap: return "flap";
        case FaultKind::eviction_error: return "eviction_error";
        case FaultKind::policy_denial: return "policy_denial";
        case FaultKind::clock_jump: return "clock_jump";
        case FaultKind::restart: return "restart";
        case FaultKind::restart_midway: return "restart_midway";
    }
    return "unknown";
}

}  // namespace capstan::simulation
