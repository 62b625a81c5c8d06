/// Files that a command writes.
#pragma once

#include <filesystem>
#include <string_view>

#include <capstan/result.hpp>

namespace capstan::commands {

/// Writes `text` as the file's whole content. The error names the file.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);
/// Writes a file of private data, which only the user may read (mode 0600).
Result<void> write_private_file(const std::filesystem::path& path, std::string_view text);
/// Whether the file can be written, for checks before the content exists. Creates the file if it
/// does not exist, and keeps its content.
Result<void> check_writable(const std::filesystem::path& path);

}  // namespace capstan::commands
