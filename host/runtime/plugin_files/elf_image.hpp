/// Bounded reading of an ELF file, by place in the file and by address in memory.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace capstan::runtime {

using Bytes = std::span<const std::byte>;

/// A copy of the T that starts at `at`, or nothing when it does not lie inside. Needs no alignment.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t at) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

/// `size` bytes from `at` on, cut where `bytes` end.
inline Bytes part(Bytes bytes, std::uint64_t at, std::uint64_t size = UINT64_MAX) {
    if (at >= bytes.size()) return {};
    return bytes.subspan(at, size < bytes.size() - at ? size : std::dynamic_extent);
}

/// The file as the dynamic loader maps it: its addresses lead to the bytes of its PT_LOAD segments,
/// which must lie inside the file. Borrows the bytes.
class ElfImage {
public:
    ElfImage(Bytes file, std::vector<Elf64_Phdr> segments)
        : file_(file), segments_(std::move(segments)) {}

    /// The bytes from `address` to the end of what the file holds of its segment; empty outside.
    Bytes from(std::uint64_t address) const {
        for (const Elf64_Phdr& s : segments_)
            if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
                return part(file_, s.p_offset, s.p_filesz).subspan(address - s.p_vaddr);
        return {};
    }
    const Elf64_Phdr* find_segment(std::uint32_t type) const {
        for (const Elf64_Phdr& s : segments_)
            if (s.p_type == type) return &s;
        return nullptr;
    }
    Bytes file() const { return file_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }

private:
    Bytes file_;
    std::vector<Elf64_Phdr> segments_;
};

}  // namespace capstan::runtime
