#include "commands/written_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace capstan::commands {
namespace {

Result<void> write(const std::filesystem::path& path, std::string_view text,
                   std::ios::openmode mode) {
    errno = 0;
    std::ofstream out(path, mode | std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (out) return {};
    return fail(ErrorCode::unavailable,
                path.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
    return write(path, text, std::ios::trunc);
}

Result<void> check_writable(const std::filesystem::path& path) {
    return write(path, {}, std::ios::app);
}

}  // namespace capstan::commands
