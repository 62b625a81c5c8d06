/// A hash for tables that live in memory: eight bytes a step where the SDK's takes one. The same on
/// every machine; not promised from one release to the next. Not for secrets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capstan::engine {

/// Of a sequence of texts and numbers, each kept apart from the next.
class FastHash {
public:
    void add(std::uint64_t number) noexcept {
        value_ = (std::rotl(value_, 23) ^ number) * 0x9e3779b97f4a7c15;
    }
    void add(std::string_view text) noexcept {
        add(text.size());
        const char* at = text.data();
        std::size_t left = text.size();
        for (; left > 8; at += 8, left -= 8) add(word(at, 8));
        if (left != 0) add(word(at, left));
    }
    std::uint64_t value() const noexcept {
        std::uint64_t mixed = (value_ ^ (value_ >> 32)) * 0xd6e8feb86659fd93;
        return mixed ^ (mixed >> 32);
    }

private:
    static std::uint64_t word(const char* at, std::size_t bytes) noexcept {
        if (bytes == 8) return whole_word(at);
        std::uint64_t out = 0;
        for (std::size_t i = 0; i < bytes; ++i) out |= byte(at, i);
        return out;
    }
    // Written out, so that compilers see the one load that it is on most machines.
    static std::uint64_t whole_word(const char* at) noexcept {
        return byte(at, 0) | byte(at, 1) | byte(at, 2) | byte(at, 3) | byte(at, 4) | byte(at, 5) |
               byte(at, 6) | byte(at, 7);
    }
    static std::uint64_t byte(const char* at, std::size_t i) noexcept {
        return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }

    std::uint64_t value_ = 0x243f6a8885a308d3;
};

inline std::uint64_t hash_of(std::string_view text) noexcept {
    FastHash hash;
    hash.add(text);
    return hash.value();
}

}  // namespace capstan::engine
