/// What labels and selectors are looked up by, in tables that live in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/labels.hpp>

#include "engine/snapshot/fast_hash.hpp"

namespace capstan::engine {

/// Of a label in a namespace; both empty: of the namespace alone.
inline std::uint64_t hash_of(std::string_view ns, std::string_view key,
                             std::string_view value) noexcept {
    FastHash hash;
    hash.add(ns);
    hash.add(key);
    hash.add(value);
    return hash.value();
}

/// Equal selectors add the same; operators do not count, so unequal ones may, too.
inline void add(FastHash& hash, const LabelSelector& selector) noexcept {
    for (const auto& [key, value] : selector.match_labels) {
        hash.add(key);
        hash.add(value);
    }
    for (const Requirement& requirement : selector.match_expressions) {
        hash.add(requirement.key);
        for (const std::string& value : requirement.values) hash.add(value);
    }
}
inline std::uint64_t hash_of(const LabelSelector& selector) noexcept {
    FastHash hash;
    add(hash, selector);
    return hash.value();
}

}  // namespace capstan::engine
