/// A hash for tables in memory, and such a table.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>

namespace capstan::engine::snapshot {

/// The hash of a sequence of texts and numbers; texts include their lengths. It takes eight bytes a
/// step, the SDK's hash one. The value is the same on every machine, but may change from one
/// release to the next. It does not resist attackers.
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
    // Written out, so that compilers make it one load on most machines.
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

/// The hash of a label in a namespace. With empty key and value, that of the namespace alone.
inline std::uint64_t hash_of(std::string_view ns, std::string_view key,
                             std::string_view value) noexcept {
    FastHash hash;
    hash.add(ns);
    hash.add(key);
    hash.add(value);
    return hash.value();
}

/// Adds a selector. Equal selectors add the same; so may unequal ones, since operators do not
/// count.
inline void add(FastHash& hash, const LabelSelector& selector) noexcept {
    for (const auto& [key, value] : selector.match_labels) {
        hash.add(key);
        hash.add(value);
    }
    for (const Requirement& requirement : selector.match_expressions) {
        hash.add(requirement.key);
        for (const std::string& value : requirement.values) hash.add(value);
    }
}
inline std::uint64_t hash_of(const LabelSelector& selector) noexcept {
    FastHash hash;
    add(hash, selector);
    return hash.value();
}

/// A hash table of numbers, such as indices of values that are stored elsewhere. Each number is in
/// it at most once. Open addressing, linear probing, no tombstones. [one thread]
class HashIndex {
public:
    /// The number with this hash for which `matches(number)` holds.
    template <class Matches>
    std::optional<std::uint32_t> find(std::uint64_t hash, Matches matches) const {
        if (slots_.empty()) return std::nullopt;
        const std::uint32_t short_hash = shorten(hash);
        for (std::size_t at = home(short_hash); slots_[at].number != none; at = after(at)) {
            if (slots_[at].hash == short_hash && matches(slots_[at].number))
                return slots_[at].number;
        }
        return std::nullopt;
    }
    /// Adds `number`, which must not be in the table yet.
    void insert(std::uint64_t hash, std::uint32_t number) {
        if ((used_ + 1) * 4 > slots_.size() * 3) grow();
        put({shorten(hash), number});
        ++used_;
    }
    /// Removes `number`, which must be in the table under this hash.
    void erase(std::uint64_t hash, std::uint32_t number) {
        std::size_t hole = slot_of(hash, number);
        // Following entries move up into the hole, except where that would put them before their
        // home.
        for (std::size_t at = after(hole); slots_[at].number != none; at = after(at)) {
            const std::size_t from_home = (at - home(slots_[at].hash)) & (slots_.size() - 1);
            const std::size_t from_hole = (at - hole) & (slots_.size() - 1);
            if (from_home >= from_hole) slots_[std::exchange(hole, at)] = slots_[at];
        }
        slots_[hole] = {};
        --used_;
    }
    /// Replaces the number `from`, which must be in the table under this hash, by `to`.
    void rename(std::uint64_t hash, std::uint32_t from, std::uint32_t to) {
        slots_[slot_of(hash, from)].number = to;
    }
    /// Memory held, in bytes.
    std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number = none;
    };

    static std::uint32_t shorten(std::uint64_t hash) noexcept {
        return static_cast<std::uint32_t>(hash ^ (hash >> 32));
    }
    std::size_t home(std::uint32_t hash) const noexcept { return hash & (slots_.size() - 1); }
    std::size_t after(std::size_t at) const noexcept { return (at + 1) & (slots_.size() - 1); }
    std::size_t slot_of(std::uint64_t hash, std::uint32_t number) const noexcept {
        std::size_t at = home(shorten(hash));
        while (slots_[at].number != number) at = after(at);
        return at;
    }
    void put(Slot slot) noexcept {
        std::size_t at = home(slot.hash);
        while (slots_[at].number != none) at = after(at);
        slots_[at] = slot;
    }
    void grow() {
        const std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 16 : slots_.size() * 2));
        for (const Slot& slot : old) {
            if (slot.number != none) put(slot);
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace capstan::engine::snapshot
