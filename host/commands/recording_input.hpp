/// Recordings of conversations over HTTP that a person gives to a command.
#pragma once

#include <filesystem>
#include <vector>

#include <capstan/testing/recording.hpp>

namespace capstan::commands {

/// Of a file, or of all files of a folder in the order of their names; of an empty path none. The
/// error names the file and the line.
Result<std::vector<testing::Exchange>> read_recording(const std::filesystem::path& path);

}  // namespace capstan::commands
