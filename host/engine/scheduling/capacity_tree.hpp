/// What is free on each slot, and the most of it among many, so that a search among full nodes does
/// not look at each.
///
/// A segment tree of maxima: each inner node holds, for every resource, the most that is free on
/// any slot below it. Where that does not cover a pod's needs, none of these slots does, and the
/// search passes over all of them in one step. The maxima of two resources may come from different
/// slots, so a subtree that seems to fit may hold none that does: the slots are asked in the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace capstan::engine::scheduling {

/// An amount wanted of the resource with this column.
struct Need {
    std::uint32_t column = 0;
    std::int64_t amount = 0;  ///< more than zero
};

/// Rows of free amounts. Over every 16 rows, and over pairs of those and so on up, it keeps the
/// most of each column. [one thread]
class CapacityTree {
public:
    explicit CapacityTree(std::size_t columns) : columns_(columns) {}

    std::size_t size() const noexcept { return size_; }
    std::int64_t free(std::uint32_t row, std::uint32_t column) const noexcept {
        return rows_[row * columns_ + column];
    }
    std::span<const std::int64_t> row(std::uint32_t row) const noexcept {
        return {&rows_[row * columns_], columns_};
    }

    /// `row` has a number per column.
    void push(std::span<const std::int64_t> row);
    /// Drops the last row. After the last of several, and before anything else but giving back,
    /// comes `settle`.
    void pop() noexcept { --size_; }
    void settle() noexcept;
    /// Takes `times` the needs off a row; below zero gives them back.
    void take(std::uint32_t row, std::span<const Need> needs, std::int64_t times) noexcept;

    bool fits(std::uint32_t row, std::span<const Need> needs) const noexcept {
        return covers(&rows_[row * columns_], needs);
    }
    /// How many times the needs fit, at most `wanted`.
    int times(std::uint32_t row, std::span<const Need> needs, int wanted) const noexcept;

    /// The first row in [from, end) that fits and that `accept(row)` takes.
    template <class Accept>
    std::optional<std::uint32_t> find(std::span<const Need> needs, std::uint32_t from,
                                      std::uint32_t end, Accept accept) const {
        if (from >= end || !covers(&most_[columns_], needs)) return std::nullopt;
        std::size_t node = leaves_ + from / block;
        std::size_t rows_below = block;
        while (true) {
            const std::size_t first = first_row(node, rows_below);
            if (first >= end) return std::nullopt;
            if (covers(&most_[node * columns_], needs)) {
                if (node < leaves_) {
                    node *= 2;
                    rows_below /= 2;
                    continue;
                }
                const auto stop = std::min<std::size_t>(end, first + block);
                for (auto row = std::max<std::size_t>(from, first); row < stop; ++row) {
                    const auto r = static_cast<std::uint32_t>(row);
                    if (fits(r, needs) && accept(r)) return r;
                }
            }
            // On to the subtree that follows; after the last one there is none.
            for (; (node & 1) != 0; node /= 2, rows_below *= 2) {
                if (node == 1) return std::nullopt;
            }
            ++node;
        }
    }

private:
    static constexpr std::size_t block = 16;

    static bool covers(const std::int64_t* free, std::span<const Need> needs) noexcept {
        for (const Need& need : needs) {
            if (free[need.column] < need.amount) return false;
        }
        return true;
    }
    void grow();
    std::size_t first_row(std::size_t node, std::size_t rows_below) const noexcept {
        return node * rows_below - leaves_ * block;
    }
    /// Above a node's children, the right of which may be beyond the last row and out of date.
    void combine(std::size_t node, std::size_t rows_below, std::uint32_t column) noexcept;
    void lower(std::uint32_t row, std::uint32_t column, std::int64_t before) noexcept;
    void raise(std::uint32_t row, std::uint32_t column, std::int64_t now) noexcept;
    std::int64_t most_in_block(std::size_t leaf, std::uint32_t column) const noexcept;

    std::size_t columns_;
    std::size_t size_ = 0;
    std::size_t leaves_ = 0;  // a power of two, or none
    std::vector<std::int64_t> rows_;
    std::vector<std::int64_t> most_;  // a heap: the children of n are 2n and 2n+1, 1 is the root
};

}  // namespace capstan::engine::scheduling
