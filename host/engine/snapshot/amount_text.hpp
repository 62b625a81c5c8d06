/// Amounts of one resource that stand in one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::engine::snapshot {

/// Memory and storage are written in the unit of one of them, which is written as it is where it is
/// whole in Mi or more; all else in its own canonical form.
///     needs 60Gi, 30.64Gi of 31Gi are free
class AmountText {
public:
    AmountText(std::string_view resource, std::int64_t of_unit) noexcept;

    /// At most two decimals. Rounded down or up, so that what is less than something else is never
    /// written as more.
    std::string rounded_down(std::int64_t amount) const;
    std::string rounded_up(std::int64_t amount) const;

private:
    std::string text(std::int64_t amount, std::int64_t hundredths) const;

    std::string_view resource_;
    int power_ = 0;  ///< of 1024; 0: the canonical form
};

}  // namespace capstan::engine::snapshot
