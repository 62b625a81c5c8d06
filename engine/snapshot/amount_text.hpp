/// Amounts of one resource in one sentence, all in the same unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::engine::snapshot {

/// Memory and storage are written in the unit of one of the amounts, `of_unit`. This unit is the
/// largest of which `of_unit` is a whole number, or, without one of Mi or more, the largest not
/// above `of_unit`. The canonical form is used for other resources, and if `of_unit` is below 1Mi.
///     needs 60Gi, 30.64Gi of 31Gi are free
class AmountText {
public:
    AmountText(std::string_view resource, std::int64_t of_unit) noexcept;

    /// With at most two decimals. Rounding what is free down and what is needed up keeps an amount
    /// that is too small from looking sufficient.
    std::string rounded_down(std::int64_t amount) const;
    std::string rounded_up(std::int64_t amount) const;

private:
    std::string text(std::int64_t amount, std::int64_t hundredths) const;

    std::string_view resource_;
    int power_ = 0;  ///< the unit as a power of 1024; 0: the canonical form
};

}  // namespace capstan::engine::snapshot
