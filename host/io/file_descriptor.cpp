#include "io/file_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace capstan::io {
namespace {

constexpr int bits_per_word = 64;
/// Above the common limit of descriptors of a process. Higher descriptors get FD_CLOEXEC alone.
constexpr int descriptors_max = 1 << 16;

/// One bit per descriptor. The handler runs in a forked child, where it must neither lock nor
/// allocate.
constinit std::array<std::atomic<std::uint64_t>, descriptors_max / bits_per_word> marked{};

bool has_place(int descriptor) { return descriptor >= 0 && descriptor < descriptors_max; }
std::atomic<std::uint64_t>& word_of(int descriptor) {
    return marked[static_cast<std::size_t>(descriptor / bits_per_word)];
}
std::uint64_t bit_of(int descriptor) {
    return std::uint64_t{1} << static_cast<unsigned>(descriptor % bits_per_word);
}

/// Runs in the child, which has a single thread.
void close_marked() noexcept {
    for (int first = 0; first < descriptors_max; first += bits_per_word) {
        const std::uint64_t word = word_of(first).exchange(0, std::memory_order_relaxed);
        for (int fd = first; word != 0 && fd < first + bits_per_word; ++fd) {
            struct stat facts{};
            // Another thread of the parent may have closed the socket right before the fork, so the
            // descriptor may be another file.
            if ((word & bit_of(fd)) != 0 && ::fstat(fd, &facts) == 0 && S_ISSOCK(facts.st_mode))
                ::close(fd);
        }
    }
}

}  // namespace

void close_on_fork(int descriptor) noexcept {
    [[maybe_unused]] static const int handler = ::pthread_atfork(nullptr, nullptr, close_marked);
    const int flags = ::fcntl(descriptor, F_GETFD);
    if (flags >= 0) ::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
    if (has_place(descriptor))
        word_of(descriptor).fetch_or(bit_of(descriptor), std::memory_order_relaxed);
}

void keep_on_fork(int descriptor) noexcept {
    if (has_place(descriptor))
        word_of(descriptor).fetch_and(~bit_of(descriptor), std::memory_order_relaxed);
}

}  // namespace capstan::io
