/// An owner of a file descriptor, and sockets that are closed in child processes.
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
    /// Transfers the ownership of the descriptor to the caller.
    int release() noexcept { return std::exchange(fd_, -1); }
    void close() noexcept { *this = FileDescriptor(); }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// The message of errno.
inline std::string errno_message() { return std::generic_category().message(errno); }

/// Writes all bytes, in several calls if needed. False: a call failed, and errno says why.
inline bool write_all(const FileDescriptor& fd, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

// Sockets that no child process inherits.
//
// A plugin may fork. Its child would inherit each socket of the host, and keep the admin port in
// use long after the host has ended. So sockets are closed when a child begins: by FD_CLOEXEC if it
// executes another program, by a handler of pthread_atfork if it is a forked copy.

/// Marks `descriptor`, an open socket, to be closed in forked children, and sets FD_CLOEXEC.
/// [any thread]
void close_on_fork(int descriptor) noexcept;
/// Removes the mark. Must be called before the socket is closed, because its number may soon be
/// reused. No effect on descriptors without a mark, and on -1. [any thread]
void keep_on_fork(int descriptor) noexcept;

/// Marks one socket until this object is destroyed. Declare it after the socket, so that it is
/// destroyed first.
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

    /// Removes the mark, for a socket that is closed before this object's destruction.
    void release() noexcept { keep_on_fork(std::exchange(descriptor_, -1)); }

private:
    int descriptor_ = -1;
};

}  // namespace capstan::io
