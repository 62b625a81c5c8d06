/// A vector that only grows and whose elements never move.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace capstan::engine::snapshot {

/// A reader that was told of an element may read it on any thread while another thread adds more:
/// reading touches neither the size nor a part that is still being filled.
template <class T>
class StableVector {
public:
    StableVector() = default;
    StableVector(const StableVector&) = delete;
    StableVector& operator=(const StableVector&) = delete;
    ~StableVector() {
        for (std::size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            if (parts_[part] != nullptr)
                std::allocator<T>().deallocate(parts_[part], first_part << part);
        }
    }

    T& push_back(T value) {
        const auto [part, offset] = place(size_);
        if (parts_[part] == nullptr)
            parts_[part] = std::allocator<T>().allocate(first_part << part);
        T* const at = std::construct_at(parts_[part] + offset, std::move(value));
        ++size_;
        return *at;
    }
    T& operator[](std::size_t index) noexcept {
        const auto [part, offset] = place(index);
        return parts_[part][offset];
    }
    const T& operator[](std::size_t index) const noexcept {
        const auto [part, offset] = place(index);
        return parts_[part][offset];
    }
    std::size_t size() const noexcept { return size_; }
    /// Memory held by the vector itself, in bytes.
    std::size_t bytes() const noexcept {
        return size_ == 0 ? 0 : (first_part * sizeof(T) << (place(size_ - 1).part + 1));
    }

private:
    // Each part is as large as all before it together, so 32 of them never run out.
    static constexpr std::size_t first_part = 16;
    struct Place {
        std::size_t part, offset;
    };
    static Place place(std::size_t index) noexcept {
        const std::size_t shifted = index + first_part;
        const auto top = static_cast<std::size_t>(std::bit_width(shifted)) - 1;
        return {top - std::bit_width(first_part) + 1, shifted - (std::size_t{1} << top)};
    }

    std::array<T*, 32> parts_{};
    std::size_t size_ = 0;
};

}  // namespace capstan::engine::snapshot
