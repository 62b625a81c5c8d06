/// Room for runs of small values that never move and are freed together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace capstan::engine::snapshot {

template <class T>
class Arena {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Values to fill in; valid as long as the arena.
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
        // Small clusters pay for a small part, large ones for few of them.
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

}  // namespace capstan::engine::snapshot
