/// What is free on each slot of a Placement, as a tree that finds a slot with room without looking
/// at every full one.
///
/// A segment tree of maxima: each tree node holds, for every resource, the most that is free on any
/// slot below it. If these maxima do not cover a pod's needs, no slot below does, and the search
/// skips all of them in one step. The maxima of two resources may come from different slots, so a
/// subtree that seems to fit may hold no slot that fits. Hence each slot is checked in the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace capstan::engine::scheduling {

/// An amount that a pod needs of the resource with this column.
struct Need {
    std::uint32_t column = 0;
    std::int64_t amount = 0;  ///< more than zero
};

/// Rows of free amounts, a row for each slot and a column for each resource. A leaf of the tree
/// holds the maxima of 16 rows. [one thread]
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

    /// Appends a row; `row` has a number for each column.
    void push(std::span<const std::int64_t> row);
    /// Drops the last row, and leaves the maxima out of date. Until `settle` only `pop` and `take`
    /// with negative `times` may follow.
    void pop() noexcept { --size_; }
    /// Brings the maxima up to date after one or several `pop`.
    void settle() noexcept;
    /// Takes `times` the needs off a row; with negative `times` gives them back.
    void take(std::uint32_t row, std::span<const Need> needs, std::int64_t times) noexcept;

    bool fits(std::uint32_t row, std::span<const Need> needs) const noexcept {
        return covers(&rows_[row * columns_], needs);
    }
    /// How many times the needs fit on a row, at most `wanted`.
    int times(std::uint32_t row, std::span<const Need> needs, int wanted) const noexcept;

    /// The first row in [from, end) on which the needs fit and for which `accept(row)` is true.
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
            // Go on with the next subtree, if there is one.
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
    /// Sets the maximum of a node from its children. A right child beyond the last row may be out
    /// of date and is left out.
    void combine(std::size_t node, std::size_t rows_below, std::uint32_t column) noexcept;
    /// Updates the maxima above a row after its amount fell from `before`.
    void lower(std::uint32_t row, std::uint32_t column, std::int64_t before) noexcept;
    /// Updates the maxima above a row after its amount rose to `now`.
    void raise(std::uint32_t row, std::uint32_t column, std::int64_t now) noexcept;
    std::int64_t most_in_block(std::size_t leaf, std::uint32_t column) const noexcept;

    std::size_t columns_;
    std::size_t size_ = 0;
    std::size_t leaves_ = 0;  // a power of two, or zero
    std::vector<std::int64_t> rows_;
    std::vector<std::int64_t> most_;  // maxima: the children of n are 2n and 2n+1, 1 is the root
};

}  // namespace capstan::engine::scheduling
