/// A hash that is the same on every machine and in every release, for the buckets of a similarity
/// check and for recorded decisions. Not for secrets.
#pragma once

#include <cstdint>
#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// FNV-1a, 64 bits, of the bytes.
constexpr std::uint64_t fnv1a64(std::string_view bytes,
                                std::uint64_t hash = 0xcbf29ce484222325) noexcept {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

/// The same for a sequence of texts and numbers, with a separator after each text:
///     Hash hash;
///     hash.add("cpu");
///     hash.add(4000);
///     return hash.value();
class Hash {
public:
    constexpr void add(std::string_view text) noexcept {
        // No UTF-8 text has the byte 0xff, so "ab", "c" is hashed as other bytes than "a", "bc".
        value_ = fnv1a64("\xff", fnv1a64(text, value_));
    }
    constexpr void add(std::int64_t number) noexcept {
        for (int shift = 0; shift < 64; shift += 8) {
            const char byte =
                static_cast<char>((static_cast<std::uint64_t>(number) >> shift) & 0xff);
            value_ = fnv1a64({&byte, 1}, value_);
        }
    }
    constexpr std::uint64_t value() const noexcept { return value_; }

private:
    std::uint64_t value_ = fnv1a64({});
};

CAPSTAN_NAMESPACE_END
