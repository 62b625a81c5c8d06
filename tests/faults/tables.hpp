/// Every kind of request that the daemon makes, and everything that may go wrong with one.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulation/api_server/api_faults.hpp"

namespace capstan::faults {

struct Request {
    const char* name;
    simulation::api_server::ApiFault fault;  ///< whose requests it is for
    /// The request comes only where this goes wrong before.
    std::optional<simulation::api_server::ApiFault> first{};
    /// An event that tells of its answer, and of nothing where that is lost.
    const char* event = nullptr;
};

struct Mishap {
    const char* name;
    void (*strike)(simulation::api_server::ApiFault& fault);
    /// The server refuses for good: an event that it refuses so is not sent again.
    bool is_refusal = false;
};

std::span<const Mishap> mishaps();
/// Those of a watch that has begun well.
std::span<const Mishap> stream_mishaps();

}  // namespace capstan::faults
