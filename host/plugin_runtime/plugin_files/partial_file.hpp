/// A file of which only the fetched parts are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <capstan/result.hpp>

namespace capstan::plugin_runtime::plugin_files {

/// A range of bytes as long as the file. Parts that have not been fetched are zeros, and take no
/// memory. A parser has to fetch each part before it reads it.
class PartialFile {
public:
    /// Borrows the open file `fd`.
    static Result<PartialFile> open(int fd);

    PartialFile(PartialFile&& other) noexcept;
    PartialFile& operator=(PartialFile&&) = delete;
    ~PartialFile();

    /// Reads `size` bytes from `at` on, as far as they lie in the file.
    Result<void> fetch(std::uint64_t at, std::uint64_t size);
    std::span<const std::byte> bytes() const noexcept { return {mapping_, size_}; }

private:
    PartialFile(int fd, std::byte* mapping, std::size_t size)
        : fd_(fd), mapping_(mapping), size_(size) {}

    int fd_;
    std::byte* mapping_;  ///< anonymous memory; NULL: the file is empty
    std::size_t size_;
};

}  // namespace capstan::plugin_runtime::plugin_files
