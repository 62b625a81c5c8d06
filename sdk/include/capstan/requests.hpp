/// Arguments of the asynchronous functions of a plugin class. Each is optional in the function's
/// signature: `Task<void> start()` and `Task<void> start(StartRequest)` are both valid.
#pragma once

#include <cstdint>

#include <capstan/abi/autoprovision.h>
#include <capstan/abi/cloud.h>
#include <capstan/abi/plugin.h>
#include <capstan/ids.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The purpose of a request.
struct RequestFlags {
    bool dry_run = false;     ///< nothing will be carried out
    bool simulation = false;  ///< time and cluster are simulated
    bool verify = false;      ///< the conformance suite is asking

    static RequestFlags from_abi(std::uint32_t flags) noexcept {
        return {(flags & CAPSTAN_CALL_DRY_RUN) != 0, (flags & CAPSTAN_CALL_SIMULATION) != 0,
                (flags & CAPSTAN_CALL_VERIFY) != 0};
    }
    bool operator==(const RequestFlags&) const = default;
};

/// Why an instance starts.
enum class StartReason : std::int32_t {
    cold = CAPSTAN_START_COLD,    ///< the host starts, or the plugin was added to its configuration
    retry = CAPSTAN_START_RETRY,  ///< the previous start failed
    exchange = CAPSTAN_START_EXCHANGE,  ///< replaces a running instance
};
struct StartRequest {
    RequestFlags flags{};
    StartReason reason = StartReason::cold;
};

/// Why an instance stops.
enum class StopReason : std::int32_t {
    shutdown = CAPSTAN_STOP_SHUTDOWN,  ///< the host shuts down
    replaced = CAPSTAN_STOP_REPLACED,  ///< another instance takes over
    removed = CAPSTAN_STOP_REMOVED,    ///< removed from the configuration
    failed = CAPSTAN_STOP_FAILED,      ///< its start failed, or the reload that it was started for
};
struct StopRequest {
    RequestFlags flags{};
    StopReason reason = StopReason::shutdown;
};

struct SelfCheckRequest {
    RequestFlags flags{};
};

struct RefreshRequest {
    RequestFlags flags{};
    /// Something was changed, or a change failed, since the last refresh: cached data of groups and
    /// machines is out of date.
    bool uncached = false;
    /// The last refresh was throttled, and this one finds out whether throttling is over. Begin
    /// with one call for one group; if that call fails, fail with its error.
    bool probe = false;
};

struct DescribeRequest {
    RequestFlags flags{};
    NodeGroupId group{};
};

struct MachineTypesRequest {
    RequestFlags flags{};
};

struct DestroyRequest {
    RequestFlags flags{};
    NodeGroupId group{};
};

inline StartRequest from_abi(const capstan_start_request& raw) noexcept {
    const bool is_known = raw.reason >= CAPSTAN_START_COLD && raw.reason <= CAPSTAN_START_EXCHANGE;
    return {RequestFlags::from_abi(raw.flags),
            is_known ? static_cast<StartReason>(raw.reason) : StartReason::cold};
}
inline StopRequest from_abi(const capstan_stop_request& raw) noexcept {
    const bool is_known = raw.reason >= CAPSTAN_STOP_SHUTDOWN && raw.reason <= CAPSTAN_STOP_FAILED;
    return {RequestFlags::from_abi(raw.flags),
            is_known ? static_cast<StopReason>(raw.reason) : StopReason::shutdown};
}
inline SelfCheckRequest from_abi(const capstan_self_check_request& raw) noexcept {
    return {RequestFlags::from_abi(raw.flags)};
}
inline RefreshRequest from_abi(const capstan_refresh_request& raw) noexcept {
    return {RequestFlags::from_abi(raw.flags), (raw.flags & CAPSTAN_REFRESH_UNCACHED) != 0,
            (raw.flags & CAPSTAN_REFRESH_PROBE) != 0};
}
inline DescribeRequest from_abi(const capstan_describe_request& raw) {
    return {RequestFlags::from_abi(raw.flags), NodeGroupId(text(raw.group_id))};
}
inline MachineTypesRequest from_abi(const capstan_machine_types_request& raw) noexcept {
    return {RequestFlags::from_abi(raw.flags)};
}
inline DestroyRequest from_abi(const capstan_destroy_request& raw) {
    return {RequestFlags::from_abi(raw.flags), NodeGroupId(text(raw.group_id))};
}

CAPSTAN_NAMESPACE_END
