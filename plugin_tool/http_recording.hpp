/// Recordings of HTTP exchanges, which replace the API of a cloud.
#pragma once

#include <filesystem>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/testing/recording.hpp>

namespace capstan::plugin_tool {

/// The HTTP exchanges of a file, or of all files of a folder in the order of their names; none for
/// an empty path. The error names the file and the line.
Result<std::vector<testing::Exchange>> read_recording(const std::filesystem::path& path);

}  // namespace capstan::plugin_tool
