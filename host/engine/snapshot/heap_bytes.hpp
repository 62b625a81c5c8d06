/// What a value holds besides itself.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/snapshot/fields.hpp"

namespace capstan::engine::snapshot {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Colour and three pointers: every common library keeps these with each entry of a map.
template <class T>
inline constexpr std::size_t bytes_around = 0;
template <class K, class V, class C>
inline constexpr std::size_t bytes_around<std::map<K, V, C>> = 4 * sizeof(void*);

/// In bytes, as far as can be told from outside: an estimate.
template <class T>
std::size_t heap_bytes(const T& value) noexcept {
    std::size_t out = 0;
    if constexpr (std::is_trivially_copyable_v<T>) {
        return 0;
    } else if constexpr (std::is_same_v<T, std::string>) {
        return value.capacity() > std::string().capacity() ? value.capacity() + 1 : 0;
    } else if constexpr (is_optional<T>) {
        return value ? heap_bytes(*value) : 0;
    } else if constexpr (std::ranges::range<T>) {
        using Element = std::ranges::range_value_t<T>;
        out = value.size() * (sizeof(Element) + bytes_around<T>);
        for (const auto& element : value) out += heap_bytes(element);
    } else {
        std::apply([&](const auto&... field) { out = (heap_bytes(field) + ... + 0); },
                   fields(value));
    }
    return out;
}

}  // namespace capstan::engine::snapshot
