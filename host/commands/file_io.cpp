#include "commands/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

#include "io/file_descriptor.hpp"

namespace capstan::commands {
namespace {

Result<void> write(const std::filesystem::path& path, std::string_view text,
                   std::ios::openmode mode) {
    errno = 0;
    std::ofstream out(path, mode | std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (out) return {};
    const int error = errno;
    const std::filesystem::path folder = path.parent_path();
    std::error_code ignored;
    const bool has_folder = folder.empty() || std::filesystem::is_directory(folder, ignored);
    return fail(ErrorCode::unavailable,
                path.string() + ": cannot be written: " +
                    (has_folder ? std::strerror(error) : "no such folder: " + folder.string()));
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
    return write(path, text, std::ios::trunc);
}

Result<void> write_private_file(const std::filesystem::path& path, std::string_view text) {
    const io::FileDescriptor fd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    // An existing file would keep its mode.
    if (fd && ::fchmod(fd.get(), 0600) == 0 && io::write_all(fd, std::as_bytes(std::span(text))))
        return {};
    return fail(ErrorCode::unavailable,
                path.string() + ": cannot be written: " + std::strerror(errno));
}

Result<void> check_writable(const std::filesystem::path& path) {
    return write(path, {}, std::ios::app);
}

}  // namespace capstan::commands
