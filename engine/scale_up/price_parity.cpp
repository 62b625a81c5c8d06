#include "engine/scale_up/price_parity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace capstan::engine::scale_up {
namespace {

/// A fraction of the higher price. The 1e-9 is for prices such as 0.98 and 1, which as doubles are
/// a little more than 2% apart.
constexpr double price_tolerance = 0.02 + 1e-9;

struct PricePair {
    double own = 0, other = 0;
};

/// Both prices if they differ too much to share; absent: they do not, or one is unknown.
std::optional<PricePair> find_prices_apart(const Offering& own, const Offering& other) noexcept {
    if (!own.price_per_hour || !other.price_per_hour) return std::nullopt;
    const PricePair prices{*own.price_per_hour, *other.price_per_hour};
    const bool are_apart =
        std::abs(prices.own - prices.other) > price_tolerance * std::max(prices.own, prices.other);
    return are_apart ? std::optional(prices) : std::nullopt;
}

/// As it would be written, without an exponent.
std::string price_text(double price) {
    std::array<char, 400> out{};
    const auto [end, error] =
        std::to_chars(out.data(), out.data() + out.size(), price, std::chars_format::fixed);
    return error == std::errc() ? std::string(out.data(), end) : std::to_string(price);
}

}  // namespace

bool has_price_gap(const Offering& own, const Offering& other) noexcept {
    return own.is_spot != other.is_spot || find_prices_apart(own, other).has_value();
}

std::optional<std::string> find_price_gap(const Offering& own, const Offering& other) {
    const std::string& group = own.group.value();
    if (own.is_spot != other.is_spot) {
        return other.is_spot ? "its nodes are spot, those of " + group + " are not"
                             : "its nodes are not spot, those of " + group + " are";
    }
    const auto prices = find_prices_apart(own, other);
    if (!prices) return std::nullopt;
    return "its nodes cost " + price_text(prices->other) + " per hour, those of " + group + " " +
           price_text(prices->own);
}

}  // namespace capstan::engine::scale_up
