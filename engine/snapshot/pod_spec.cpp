#include "engine/snapshot/pod_spec.hpp"

#include <ranges>
#include <tuple>
#include <type_traits>

#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/heap_bytes.hpp"

namespace capstan::engine::snapshot {
namespace {

template <class T>
void add_value(FastHash& hash, const T& value) noexcept {
    if constexpr (std::is_same_v<T, std::string>) {
        hash.add(std::string_view(value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
        hash.add(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, Duration>) {
        hash.add(static_cast<std::uint64_t>(value.count()));
    } else if constexpr (is_optional<T>) {
        hash.add(std::uint64_t{value.has_value()});
        if (value) add_value(hash, *value);
    } else if constexpr (std::ranges::range<T>) {
        hash.add(std::uint64_t{value.size()});
        for (const auto& element : value) add_value(hash, element);
    } else {
        std::apply([&](const auto&... field) { (add_value(hash, field), ...); }, fields(value));
    }
}

}  // namespace

std::uint64_t hash_of(const PodSpec& spec) noexcept {
    FastHash hash;
    add_value(hash, spec);
    return hash.value();
}

}  // namespace capstan::engine::snapshot
