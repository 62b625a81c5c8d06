/// What commands that work on a live cluster begin with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include <capstan/result.hpp>

#include "runtime/daemon/daemon.hpp"

namespace capstan::commands {

/// Reads the file, loads and checks its plugins. `warnings` gets what is worth one. The error is
/// `invalid_config` and says all that is wrong, with its places.
Result<std::shared_ptr<const runtime::daemon::LoadedConfig>> load_live_config(
    const std::filesystem::path& file, std::ostream& warnings);

/// "node-7_1a2b3c4d5e6f7081": two processes on one machine have different ones, and so have two
/// lives of one process.
std::string make_identity(std::uint64_t chance);

/// From the machine's own source of chance.
std::uint64_t random_seed();

/// The answer to a question about a pass, as `capstan explain` gives it.
Result<std::string> explain_pass(const runtime::daemon::PassReport& pass,
                                 const runtime::daemon::AdminQuestion& question);

}  // namespace capstan::commands
