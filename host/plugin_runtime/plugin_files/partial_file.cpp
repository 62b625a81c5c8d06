#include "plugin_runtime/plugin_files/partial_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/file_descriptor.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

Result<PartialFile> PartialFile::open(int fd) {
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) return refuse("cannot be read: " + io::errno_message());
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size == 0) return PartialFile(fd, nullptr, 0);
    // Pages of an anonymous mapping take no memory until they are written.
    void* mapping = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return refuse("cannot be read: " + io::errno_message());
    return PartialFile(fd, static_cast<std::byte*>(mapping), size);
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : fd_(other.fd_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

PartialFile::~PartialFile() {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
}

Result<void> PartialFile::fetch(std::uint64_t at, std::uint64_t size) {
    if (at >= size_) return {};
    const std::size_t end = at + std::min<std::uint64_t>(size, size_ - at);
    for (std::size_t place = at; place < end;) {
        const ssize_t n = ::pread(fd_, mapping_ + place, end - place, static_cast<off_t>(place));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return refuse("cannot be read: " + io::errno_message());
        if (n == 0) return refuse("changed while it was read");
        place += static_cast<std::size_t>(n);
    }
    return {};
}

}  // namespace capstan::plugin_runtime::plugin_files
