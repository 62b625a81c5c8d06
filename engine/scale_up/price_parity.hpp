/// Whether nodes of two groups cost the same. If a cheap group was chosen, its nodes are not shared
/// out to a more expensive one, however similar the machines are.
#pragma once

#include <optional>
#include <string>

#include <capstan/ids.hpp>

namespace capstan::engine::scale_up {

/// The purchase option and price of a group's nodes.
struct Offering {
    NodeGroupId group{};
    bool is_spot = false;
    std::optional<double> price_per_hour{};  ///< of one node; absent: unknown
};

/// Why nodes of `own` are not shared out to `other`: only one of the two is spot, or both prices
/// are known and differ by more than 2% of the higher one. The sentence is about `other`. Absent:
/// they may be shared.
///     "its nodes are spot, those of web-a are not"
///     "its nodes cost 0.4 per hour, those of web-a 0.12"
std::optional<std::string> find_price_gap(const Offering& own, const Offering& other);

/// Whether find_price_gap finds a gap.
bool has_price_gap(const Offering& own, const Offering& other) noexcept;

}  // namespace capstan::engine::scale_up
