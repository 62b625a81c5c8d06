/// The faults that are injected into each kind of request.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulator/api_server/api_faults.hpp"

namespace capstan::faults {

/// A kind of request that the daemon makes.
struct Request {
    const char* name;
    simulator::api_server::ApiFault fault;  ///< matches the requests
    /// A fault without which the daemon does not make the request.
    std::optional<simulator::api_server::ApiFault> first{};
    /// An Event that may be missing if the response to the request is lost; NULL: none.
    const char* event = nullptr;
};

/// A fault of a request.
struct FaultVariant {
    const char* name;
    /// Sets the members of a fault that describe the error.
    void (*apply)(simulator::api_server::ApiFault& fault);
    /// The refusal is permanent: a refused Event is not sent again.
    bool is_refusal = false;
};

/// Faults of any request.
std::span<const FaultVariant> fault_variants();
/// Faults of a watch that has begun normally.
std::span<const FaultVariant> stream_fault_variants();

}  // namespace capstan::faults
