#include "engine/snapshot/amount_text.hpp"

#include <array>

#include <capstan/quantity.hpp>

namespace capstan::engine::snapshot {
namespace {

constexpr std::array<std::string_view, 6> suffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi"};

bool is_bytes(std::string_view resource) noexcept {
    return resource == "memory" || resource == "ephemeral-storage" ||
           resource.starts_with("hugepages-");
}

constexpr std::int64_t unit_of(int power) noexcept { return std::int64_t{1} << (10 * power); }

/// The largest unit of which the amount is a whole number, if that is Mi or more; else the largest
/// unit not above the amount. 0: the amount is below 1Mi.
int power_for(std::int64_t amount) noexcept {
    if (amount < unit_of(2)) return 0;
    int exact = 0, largest = 0;
    for (int power = 1; power < static_cast<int>(suffixes.size()) && unit_of(power) <= amount;
         ++power) {
        if (amount % unit_of(power) == 0) exact = power;
        largest = power;
    }
    return exact >= 2 ? exact : largest;
}

/// An amount in hundredths of a unit, rounded down, and whether that is exact. The remainder of the
/// largest unit times 100 does not overflow.
struct Hundredths {
    std::int64_t floored;
    bool is_exact;
};
Hundredths hundredths_of(std::int64_t amount, int power) noexcept {
    const std::int64_t unit = unit_of(power);
    const std::int64_t rest = amount % unit * 100;
    return {amount / unit * 100 + rest / unit, rest % unit == 0};
}

}  // namespace

AmountText::AmountText(std::string_view resource, std::int64_t of_unit) noexcept
    : resource_(resource), power_(is_bytes(resource) ? power_for(of_unit) : 0) {}

std::string AmountText::rounded_down(std::int64_t amount) const {
    return text(amount, hundredths_of(amount, power_).floored);
}

std::string AmountText::rounded_up(std::int64_t amount) const {
    const Hundredths found = hundredths_of(amount, power_);
    return text(amount, found.floored + (found.is_exact ? 0 : 1));
}

std::string AmountText::text(std::int64_t amount, std::int64_t hundredths) const {
    if (power_ == 0) return format_amount(resource_, amount);
    std::string out = std::to_string(hundredths / 100);
    const std::int64_t rest = hundredths % 100;
    if (rest != 0) {
        out += rest < 10 ? ".0" : ".";
        out += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
    }
    return out + std::string(suffixes[static_cast<std::size_t>(power_)]);
}

}  // namespace capstan::engine::snapshot
