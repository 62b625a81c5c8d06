/// Keeps one option, each with the same chance.
#pragma once

#include <cstdint>
#include <string_view>

#include <capstan/expander.hpp>

namespace capstan::expanders {

/// The lot that a group draws: a pseudo-random number that depends on seed and id alone.
/// README.md has the algorithm.
std::uint64_t lot(std::uint64_t seed, std::string_view group_id) noexcept;

/// The highest lot wins, so the answer does not depend on the order of the options, and the removal
/// of a losing option changes nothing. Among equal lots the lower id wins.
class Random {
public:
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const;
};

}  // namespace capstan::expanders
