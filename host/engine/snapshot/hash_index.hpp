/// Finds numbers by what they stand for. The things themselves are kept elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace capstan::engine {

/// Open addressing, linear probing, no tombstones. Each number is in at most once. [one thread]
class HashIndex {
public:
    /// The number with this hash of which `is_it(number)` holds.
    template <class IsIt>
    std::optional<std::uint32_t> find(std::uint64_t hash, IsIt is_it) const {
        if (slots_.empty()) return std::nullopt;
        const std::uint32_t short_hash = shorten(hash);
        for (std::size_t at = home(short_hash); slots_[at].number != none; at = after(at)) {
            if (slots_[at].hash == short_hash && is_it(slots_[at].number)) return slots_[at].number;
        }
        return std::nullopt;
    }
    /// `number` is not in yet.
    void insert(std::uint64_t hash, std::uint32_t number) {
        if ((used_ + 1) * 4 > slots_.size() * 3) grow();
        put({shorten(hash), number});
        ++used_;
    }
    /// `number` is in, under this hash.
    void erase(std::uint64_t hash, std::uint32_t number) {
        std::size_t hole = slot_of(hash, number);
        // What follows moves up unless that would put it before its home.
        for (std::size_t at = after(hole); slots_[at].number != none; at = after(at)) {
            const std::size_t from_home = (at - home(slots_[at].hash)) & (slots_.size() - 1);
            const std::size_t from_hole = (at - hole) & (slots_.size() - 1);
            if (from_home >= from_hole) slots_[std::exchange(hole, at)] = slots_[at];
        }
        slots_[hole] = {};
        --used_;
    }
    /// What `from` stood for is now called `to`.
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

}  // namespace capstan::engine
