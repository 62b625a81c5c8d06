#include "plugin_tool/http_recording.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t recording_bytes_max = std::uintmax_t{256} << 20;

Unexpected cannot_play(const fs::path& path, const std::string& why) {
    return fail(ErrorCode::invalid_config, "recording " + path.string() + ": " + why);
}

Result<std::vector<fs::path>> recordings_at(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return std::vector{path};
    std::vector<fs::path> out;
    for (auto entry = fs::directory_iterator(path, error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (entry->is_regular_file()) out.push_back(entry->path());
    }
    if (error) return cannot_play(path, error.message());
    std::ranges::sort(out);
    return out;
}

Result<std::string> read_recording_text(const fs::path& file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (error) return cannot_play(file, error.message());
    if (size > recording_bytes_max) return cannot_play(file, "is larger than 256 MiB");
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) return cannot_play(file, "cannot be read");
    return text;
}

}  // namespace

Result<std::vector<testing::Exchange>> read_recording(const fs::path& path) {
    std::vector<testing::Exchange> out;
    if (path.empty()) return out;
    CAPSTAN_TRY(const std::vector<fs::path> files, recordings_at(path));
    for (const fs::path& file : files) {
        CAPSTAN_TRY(const std::string text, read_recording_text(file));
        CAPSTAN_TRY(std::vector<testing::Exchange> some,
                    testing::parse_recording(text, file.string()));
        std::ranges::move(some, std::back_inserter(out));
    }
    if (out.empty()) return cannot_play(path, "contains no exchanges");
    return out;
}

}  // namespace capstan::plugin_tool
