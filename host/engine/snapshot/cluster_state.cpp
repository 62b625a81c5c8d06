#include "engine/snapshot/cluster_state.hpp"

#include "engine/snapshot/heap_bytes.hpp"

namespace capstan::engine::snapshot {
namespace {

template <class... Columns>
std::size_t bytes_of_columns(const std::vector<Columns>&... columns) noexcept {
    return ((columns.capacity() * sizeof(Columns)) + ...);
}

}  // namespace

std::size_t NodeTable::bytes() const noexcept {
    return sizeof(*this) + bytes_of_columns(rows, slots, index_of, name_of, allocatable);
}

std::size_t PodTable::bytes() const noexcept {
    return sizeof(*this) + blocks.size() * sizeof(PodBlock) +
           bytes_of_columns(blocks, bound, bounds, unbound, requested);
}

std::size_t DefaultSpreads::bytes() const noexcept {
    return sizeof(*this) + bytes_of_columns(of_class) + heap_bytes(lists);
}

}  // namespace capstan::engine::snapshot
