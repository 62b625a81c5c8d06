/// An open file that closes itself.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace capstan::io {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }

    int get() const noexcept { return fd_; }
    /// The caller closes it from now on.
    int release() noexcept { return std::exchange(fd_, -1); }
    void close() noexcept { *this = FileDescriptor(); }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// Why the last call of the system failed.
inline std::string errno_message() { return std::generic_category().message(errno); }

/// However many calls it takes. False: one failed, errno says why.
inline bool write_all(const FileDescriptor& fd, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

// Sockets that belong to this process alone.
//
// A plugin may fork. Its child would hold every socket of the host, and keep the admin port taken
// long after the host has gone. So sockets are closed where a child begins: in other programs by
// FD_CLOEXEC, in forked copies of this one by a handler of pthread_atfork.

/// Marks `descriptor`, an open socket, and sees to FD_CLOEXEC. [any thread]
void close_on_fork(int descriptor) noexcept;
/// Takes the mark off. Called before the socket is closed, for its number may soon be that of
/// something else. Descriptors without a mark, -1 included, are passed over. [any thread]
void keep_on_fork(int descriptor) noexcept;

/// The mark of one socket, taken off with this object. Declared behind the socket, so that it goes
/// first.
class CloseOnFork {
public:
    CloseOnFork() = default;
    explicit CloseOnFork(int descriptor) noexcept : descriptor_(descriptor) {
        close_on_fork(descriptor);
    }
    CloseOnFork(CloseOnFork&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    CloseOnFork& operator=(CloseOnFork&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~CloseOnFork() { release(); }

    /// For a socket that is closed before this object goes.
    void release() noexcept { keep_on_fork(std::exchange(descriptor_, -1)); }

private:
    int descriptor_ = -1;
};

}  // namespace capstan::io
