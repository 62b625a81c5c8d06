/// What it means for somebody who follows a kind that a request came back with an error.
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/error.hpp>

namespace capstan::kubernetes {

enum class Setback : std::uint8_t {
    busy,       ///< the same again later: too many requests, no connection, no valid token
    failing,    ///< the server failed inside: the same again for a while
    expired,    ///< the version asked for is no longer kept
    too_large,  ///< the version asked for is newer than all the server has
    refused,    ///< it does not do that
    forbidden,
    absent,   ///< has no such kind
    broken,   ///< what came is not what was asked for
    stalled,  ///< nothing came
};

/// The server is well, and another list tells what is wanted.
constexpr bool is_outdated(Setback what) noexcept {
    return what == Setback::expired || what == Setback::too_large;
}

/// Of an error as Api gives it.
Setback setback_of(const Error& error) noexcept;

/// The object of an ERROR in a watch, as Api would tell it. `what` was done.
Error error_of_event(std::string_view what, const boost::json::value& object);

}  // namespace capstan::kubernetes
