/// An autoscaler's memory in a file.
#pragma once

#include <filesystem>
#include <string>

#include <capstan/result.hpp>

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"

namespace capstan::simulation {

/// What the file keeps, for the first pass after a start; a memory that was never used where there
/// is none, or `file` is empty. `read`: the moment of the start.
/// `invalid_config`: it is no memory.
Result<engine::Memory> load_memory(const std::filesystem::path& file, const engine::PassTime& read);
/// In place of what the file keeps, all of it or nothing. Nowhere where `file` is empty. `host`:
/// the version that writes; `written`: now.
Result<void> save_memory(const engine::Memory& memory, const std::string& host,
                         const std::filesystem::path& file, const engine::PassTime& written);
/// What a memory is at the next start: saved and read again.
Result<engine::Memory> saved_and_read(const engine::Memory& memory, const std::string& host,
                                      const engine::PassTime& written,
                                      const engine::PassTime& read);

}  // namespace capstan::simulation
