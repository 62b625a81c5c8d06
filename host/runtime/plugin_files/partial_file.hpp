/// A file of which only the parts asked for are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <capstan/result.hpp>

namespace capstan::runtime::plugin_files {

/// As long as the file; what has not been fetched is zeros, which take no memory. Any parser of
/// bytes works on it that fetches first what it looks at.
class PartialFile {
public:
    /// Of the open file `fd`, which this object does not own.
    static Result<PartialFile> open(int fd);

    PartialFile(PartialFile&& other) noexcept;
    PartialFile& operator=(PartialFile&&) = delete;
    ~PartialFile();

    /// Reads `size` bytes from `at` on, as far as they lie in the file.
    Result<void> fetch(std::uint64_t at, std::uint64_t size);
    std::span<const std::byte> bytes() const noexcept { return {room_, size_}; }

private:
    PartialFile(int fd, std::byte* room, std::size_t size) : fd_(fd), room_(room), size_(size) {}

    int fd_;
    std::byte* room_;  ///< NULL: the file is empty
    std::size_t size_;
};

}  // namespace capstan::runtime::plugin_files
