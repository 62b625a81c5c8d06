/// Files that a command writes.
#pragma once

#include <filesystem>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::commands {

/// In place of what was there. The error names the file.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);
/// The same for private data: only the user may read it (mode 0600).
Result<void> write_private_file(const std::filesystem::path& path, std::string_view text);
/// Whether it can be written, found out before there is anything to write; the file is there then.
Result<void> check_writable(const std::filesystem::path& path);

}  // namespace capstan::commands
