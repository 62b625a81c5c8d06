/// A sentence about a name that is not in a list, for warnings about misspelled names:
///
///     unknown_name("region", "eu-central-l", regions)
///     ->  "unknown region "eu-central-l"; similar: eu-central-1, eu-central-2"
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <capstan/namespace.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Names are similar if they begin with the same four characters or more; the most similar ones are
/// listed, in their order.
template <class List>
std::string unknown_name(std::string_view what, std::string_view name, const List& known) {
    constexpr std::size_t least = 4;
    const auto common_length = [name](std::string_view one) {
        return static_cast<std::size_t>(
            std::mismatch(name.begin(), name.end(), one.begin(), one.end()).first - name.begin());
    };
    std::size_t most = least;
    for (const std::string_view one : known) most = std::max(most, common_length(one));
    std::string out = "unknown " + std::string(what) + " " + in_quotes(name);
    std::string_view separator = "; similar: ";
    for (const std::string_view one : known) {
        if (common_length(one) < most) continue;
        out += std::string(separator) + std::string(one);
        separator = ", ";
    }
    return out;
}

CAPSTAN_NAMESPACE_END
