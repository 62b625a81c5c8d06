/// Reads borrowed text and arrays of the ABI without copies.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The same bytes as a string_view; valid as long as their owner.
inline std::string_view text(capstan_str s) noexcept {
    return s.ptr == nullptr ? std::string_view() : std::string_view(s.ptr, s.len);
}
/// Borrows `s`, which must outlive the result.
constexpr capstan_str str(std::string_view s) noexcept { return {s.data(), s.size()}; }

/// A typed range over a capstan_array. It uses the stride of the other side, whose elements may be
/// longer.
template <class T>
class View {
public:
    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        Iterator() = default;
        Iterator(const char* at, std::uint32_t stride) noexcept : at_(at), stride_(stride) {}
        reference operator*() const noexcept { return *reinterpret_cast<pointer>(at_); }
        pointer operator->() const noexcept { return reinterpret_cast<pointer>(at_); }
        reference operator[](difference_type n) const noexcept { return *(*this + n); }
        Iterator& operator+=(difference_type n) noexcept {
            at_ += n * static_cast<difference_type>(stride_);
            return *this;
        }
        Iterator& operator-=(difference_type n) noexcept { return *this += -n; }
        Iterator& operator++() noexcept { return *this += 1; }
        Iterator& operator--() noexcept { return *this -= 1; }
        Iterator operator++(int) noexcept {
            Iterator before = *this;
            ++*this;
            return before;
        }
        Iterator operator--(int) noexcept {
            Iterator before = *this;
            --*this;
            return before;
        }
        friend Iterator operator+(Iterator i, difference_type n) noexcept { return i += n; }
        friend Iterator operator+(difference_type n, Iterator i) noexcept { return i += n; }
        friend Iterator operator-(Iterator i, difference_type n) noexcept { return i -= n; }
        friend difference_type operator-(const Iterator& a, const Iterator& b) noexcept {
            return a.stride_ == 0 ? 0 : (a.at_ - b.at_) / static_cast<difference_type>(a.stride_);
        }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
            return a.at_ == b.at_;
        }
        friend auto operator<=>(const Iterator& a, const Iterator& b) noexcept {
            return a.at_ <=> b.at_;
        }

    private:
        const char* at_ = nullptr;
        std::uint32_t stride_ = 0;
    };
    using value_type = T;
    using const_iterator = Iterator;

    View() = default;
    explicit View(capstan_array a) noexcept : array_(a) {
        if (array_.data == nullptr || array_.stride == 0) array_ = {nullptr, 0, 0};
    }
    std::uint32_t size() const noexcept { return array_.count; }
    bool empty() const noexcept { return array_.count == 0; }
    const T& operator[](std::uint32_t i) const noexcept {
        assert(i < array_.count);
        return begin()[static_cast<std::ptrdiff_t>(i)];
    }
    Iterator begin() const noexcept {
        return {static_cast<const char*>(array_.data), array_.stride};
    }
    Iterator end() const noexcept { return begin() + static_cast<std::ptrdiff_t>(array_.count); }

private:
    capstan_array array_{nullptr, 0, 0};
};

/// A contiguous container as a capstan_array; borrows `c`, so a temporary does not compile.
template <class C>
capstan_array array_of(const C& c) noexcept {
    using Element = std::remove_cvref_t<decltype(*c.data())>;
    return {c.data(), static_cast<std::uint32_t>(c.size()),
            static_cast<std::uint32_t>(sizeof(Element))};
}
template <class C>
capstan_array array_of(const C&& temporary) = delete;

CAPSTAN_NAMESPACE_END
