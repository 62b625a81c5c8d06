/// Sockets that belong to this process alone.
///
/// A plugin may fork. Its child would hold every socket of the host, and keep the admin port taken
/// long after the host has gone. So sockets are closed where a child begins: in other programs by
/// FD_CLOEXEC, in forked copies of this one by a handler of pthread_atfork.
#pragma once

#include <utility>

namespace capstan::io {

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
