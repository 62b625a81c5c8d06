/// A port to listen on.
#pragma once

#include <cstdint>
#include <string>

#include <capstan/result.hpp>

namespace capstan::commands {

/// `wanted` if nobody listens on it now, else another that is free. Somebody else may be quicker to
/// take it.
Result<std::uint16_t> find_free_port(const std::string& address, std::uint16_t wanted);

}  // namespace capstan::commands
