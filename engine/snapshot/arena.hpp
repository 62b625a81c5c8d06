/// Containers that only grow. Their elements never move.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace capstan::engine::snapshot {

/// Memory for arrays of small values. All arrays are freed together with the arena. [one thread]
template <class T>
class Arena {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// An array of `count` uninitialized values; valid as long as the arena.
    std::span<T> take(std::size_t count) {
        if (count > left_) grow(count);
        T* const at = next_;
        next_ += count;
        left_ -= count;
        return {at, count};
    }
    /// Memory held, in bytes.
    std::size_t bytes() const noexcept { return bytes_; }

private:
    void grow(std::size_t count) {
        // A small cluster allocates small parts, a large cluster few parts.
        const std::size_t usual = std::clamp<std::size_t>(bytes_, 1024, 64 * 1024) / sizeof(T);
        left_ = std::max(usual, count);
        parts_.push_back(std::make_unique_for_overwrite<T[]>(left_));
        next_ = parts_.back().get();
        bytes_ += left_ * sizeof(T);
    }

    std::vector<std::unique_ptr<T[]>> parts_;
    T* next_ = nullptr;
    std::size_t left_ = 0, bytes_ = 0;
};

/// A vector that only grows. Its elements never move. Once its index was handed to another thread,
/// an element may be read there while one thread adds more: reading does not touch the size,
/// and adding does not write to existing elements.
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
