/// Reads files of limited size. Internal to the SDK.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include <capstan/error.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

class FileHandle {
public:
    // O_NONBLOCK: a pipe without a writer is opened at once, and refused below.
    explicit FileHandle(const std::string& path)
        : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() {
        if (fd_ >= 0) ::close(fd_);
    }
    int fd() const noexcept { return fd_; }

private:
    int fd_;
};

[[noreturn]] inline void refuse_file(const std::string& path, int number) {
    const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::not_found
                           : number == EACCES || number == EPERM ? ErrorCode::permission
                                                                 : ErrorCode::unavailable;
    const char* const why = code == ErrorCode::not_found    ? "no such file"
                            : code == ErrorCode::permission ? "permission denied"
                                                            : "cannot be read";
    throw Failure(code, in_quotes(path) + ": " + why);
}

/// Blocks. A Failure names the file: `not_found`, `permission` or `unavailable`. It is
/// `unavailable` for a file of more than `most` bytes, too.
inline std::string read_bounded_file(const std::string& path, std::size_t most) {
    const FileHandle file(path);
    struct stat about{};
    if (file.fd() < 0 || ::fstat(file.fd(), &about) != 0) refuse_file(path, errno);
    if (!S_ISREG(about.st_mode))
        throw Failure(ErrorCode::unavailable, in_quotes(path) + ": not a regular file");
    std::string out;
    std::array<char, 16384> part{};
    for (;;) {
        const ssize_t size = ::read(file.fd(), part.data(), part.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) refuse_file(path, errno);
        if (size == 0) return out;
        out.append(part.data(), static_cast<std::size_t>(size));
        if (out.size() > most)
            throw Failure(ErrorCode::unavailable,
                          in_quotes(path) + ": larger than " + std::to_string(most >> 20) + " MiB");
    }
}

}  // namespace detail

CAPSTAN_NAMESPACE_END
