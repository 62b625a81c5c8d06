/// The memory of a simulated autoscaler in a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"

namespace capstan::simulator {

/// The memory in the file, for the first pass after a start; an empty memory if there is no such
/// file or `file` is empty. `read`: the moment of the start. `invalid_config`: the file cannot be
/// read or is not a memory.
Result<engine::Memory> load_memory(const std::filesystem::path& file, const engine::PassTime& read);
/// Replaces the file atomically. Does nothing if `file` is empty. `host`: the version of the host;
/// `written`: now.
Result<void> save_memory(const engine::Memory& memory, const std::string& host,
                         const std::filesystem::path& file, const engine::PassTime& written);
/// What is left of the memory if its text has at most `room` bytes: parts are left out as
/// record::memory_text does. `invalid_argument`: it is too large even then.
Result<engine::Memory> memory_within(std::size_t room, const engine::Memory& memory,
                                     const std::string& host, const engine::PassTime& written);
/// The memory as the next start would read it: written as text and read again.
Result<engine::Memory> saved_and_read(const engine::Memory& memory, const std::string& host,
                                      const engine::PassTime& written,
                                      const engine::PassTime& read);

}  // namespace capstan::simulator
