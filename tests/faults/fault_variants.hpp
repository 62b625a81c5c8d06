/// The faults that are injected into each kind of request.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulation/api_server/api_faults.hpp"

namespace capstan::faults {

/// A kind of request that the daemon makes.
struct Request {
    const char* name;
    simulation::api_server::ApiFault fault;  ///< matches the requests
    /// A fault without which the daemon does not make the request.
    std::optional<simulation::api_server::ApiFault> first{};
    /// An Event that is missing if the answer to the request is lost; NULL: there is none.
    const char* event = nullptr;
};

/// A way in which a request goes wrong.
struct FaultVariant {
    const char* name;
    /// Sets the members of a fault that say what goes wrong.
    void (*apply)(simulation::api_server::ApiFault& fault);
    /// The refusal is final: an Event that the server refuses so is not sent again.
    bool is_refusal = false;
};

/// Faults of any request.
std::span<const FaultVariant> fault_variants();
/// Faults of a watch that has begun normally.
std::span<const FaultVariant> stream_fault_variants();

}  // namespace capstan::faults
