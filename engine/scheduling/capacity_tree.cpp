#include "engine/scheduling/capacity_tree.hpp"

#include <limits>

#include <capstan/assert.hpp>

namespace capstan::engine::scheduling {

constexpr auto nothing = std::numeric_limits<std::int64_t>::min();

void CapacityTree::push(std::span<const std::int64_t> row) {
    CAPSTAN_ASSERT(row.size() == columns_, "a row has another number of columns");
    if (size_ == leaves_ * block) grow();
    const auto at = static_cast<std::uint32_t>(size_++);
    std::copy(row.begin(), row.end(), &rows_[at * columns_]);
    // Tree nodes that begin with this row still have the maxima of rows that were popped.
    std::size_t rows_below = block;
    for (std::size_t node = leaves_ + at / block; node != 0 && at % rows_below == 0; node /= 2) {
        std::fill_n(&most_[node * columns_], columns_, nothing);
        rows_below *= 2;
    }
    for (std::uint32_t column = 0; column < columns_; ++column) raise(at, column, row[column]);
}

void CapacityTree::take(std::uint32_t row, std::span<const Need> needs,
                        std::int64_t times) noexcept {
    for (const Need& need : needs) {
        std::int64_t& free = rows_[row * columns_ + need.column];
        const std::int64_t before = free;
        free -= need.amount * times;
        if (times > 0)
            lower(row, need.column, before);
        else
            raise(row, need.column, free);
    }
}

int CapacityTree::times(std::uint32_t row, std::span<const Need> needs, int wanted) const noexcept {
    std::int64_t most = wanted;
    for (const Need& need : needs) {
        const std::int64_t free = rows_[row * columns_ + need.column];
        // A division costs more than all the rest, and in most cases there is room for all.
        std::int64_t all = 0;
        if (!__builtin_mul_overflow(need.amount, most, &all) && all <= free) continue;
        most = free <= 0 ? 0 : free / need.amount;
        if (most == 0) return 0;
    }
    return static_cast<int>(most);
}

void CapacityTree::grow() {
    leaves_ = leaves_ == 0 ? 1 : leaves_ * 2;
    rows_.resize(leaves_ * block * columns_);
    most_.assign(2 * leaves_ * columns_, nothing);
    for (std::uint32_t row = 0; row < size_; ++row) {
        for (std::uint32_t column = 0; column < columns_; ++column)
            raise(row, column, free(row, column));
    }
}

std::int64_t CapacityTree::most_in_block(std::size_t leaf, std::uint32_t column) const noexcept {
    std::int64_t most = nothing;
    const std::size_t end = std::min(size_, (leaf + 1) * block);
    for (std::size_t row = leaf * block; row < end; ++row)
        most = std::max(most, rows_[row * columns_ + column]);
    return most;
}

void CapacityTree::combine(std::size_t node, std::size_t rows_below,
                           std::uint32_t column) noexcept {
    std::int64_t most = most_[2 * node * columns_ + column];
    if (first_row(2 * node + 1, rows_below / 2) < size_)
        most = std::max(most, most_[(2 * node + 1) * columns_ + column]);
    most_[node * columns_ + column] = most;
}

void CapacityTree::lower(std::uint32_t row, std::uint32_t column, std::int64_t before) noexcept {
    std::size_t node = leaves_ + row / block;
    if (before < most_[node * columns_ + column]) return;
    most_[node * columns_ + column] = most_in_block(row / block, column);
    for (std::size_t rows_below = 2 * block; node > 1; rows_below *= 2) {
        node /= 2;
        const std::int64_t was = most_[node * columns_ + column];
        combine(node, rows_below, column);
        if (most_[node * columns_ + column] == was) return;
    }
}

void CapacityTree::settle() noexcept {
    // Only the tree nodes above the first popped row may cover popped and remaining rows.
    const std::size_t leaf = size_ / block;
    if (leaf >= leaves_) return;
    for (std::uint32_t column = 0; column < columns_; ++column) {
        std::size_t node = leaves_ + leaf;
        most_[node * columns_ + column] = most_in_block(leaf, column);
        for (std::size_t rows_below = 2 * block; node > 1; rows_below *= 2) {
            node /= 2;
            combine(node, rows_below, column);
        }
    }
}

void CapacityTree::raise(std::uint32_t row, std::uint32_t column, std::int64_t now) noexcept {
    for (std::size_t node = leaves_ + row / block;
         node != 0 && most_[node * columns_ + column] < now; node /= 2)
        most_[node * columns_ + column] = now;
}

}  // namespace capstan::engine::scheduling
