/// Parsing and formatting for capstan/quantity.hpp. Internal to the SDK.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <capstan/detail/int128.hpp>
#include <capstan/detail/text.hpp>
#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// Families of suffixes: n u m k M G..., Ki Mi Gi..., and e3 e6...
enum class QuantityFormat : std::uint8_t { decimal, binary, exponent };

inline constexpr std::int64_t nanos = 1'000'000'000;
/// 10^28 units: two of them still add up without overflow.
inline constexpr Int128 quantity_limit = Int128{10'000'000'000'000'000} * 1'000'000'000'000 * nanos;
/// Kubernetes caps quantities with a binary suffix.
inline constexpr Int128 binary_limit = Int128{std::numeric_limits<std::int64_t>::max()} * nanos;

constexpr Int128 clamped(Int128 nano) noexcept {
    return nano > quantity_limit ? quantity_limit : nano < -quantity_limit ? -quantity_limit : nano;
}

struct QuantitySuffix {
    std::string_view text;
    QuantityFormat format;
    int exponent;  ///< of ten, or of two for binary
};

inline constexpr std::array<QuantitySuffix, 16> quantity_suffixes{{
    {"n", QuantityFormat::decimal, -9},
    {"u", QuantityFormat::decimal, -6},
    {"m", QuantityFormat::decimal, -3},
    {"", QuantityFormat::decimal, 0},
    {"k", QuantityFormat::decimal, 3},
    {"M", QuantityFormat::decimal, 6},
    {"G", QuantityFormat::decimal, 9},
    {"T", QuantityFormat::decimal, 12},
    {"P", QuantityFormat::decimal, 15},
    {"E", QuantityFormat::decimal, 18},
    {"Ki", QuantityFormat::binary, 10},
    {"Mi", QuantityFormat::binary, 20},
    {"Gi", QuantityFormat::binary, 30},
    {"Ti", QuantityFormat::binary, 40},
    {"Pi", QuantityFormat::binary, 50},
    {"Ei", QuantityFormat::binary, 60},
}};

/// A quantity taken apart; `whole` and `fraction` borrow from the text and hold digits only.
struct QuantityText {
    bool negative = false;
    std::string_view whole, fraction;
    QuantityFormat format = QuantityFormat::decimal;
    int exponent = 0;
};

/// "e3", "E-6", "e+03". Exponents are capped at 1000 and -1000, far beyond the bounds of a
/// quantity.
inline bool read_exponent(std::string_view suffix, int& exponent) noexcept {
    if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
    const bool negative = suffix[1] == '-';
    suffix.remove_prefix(negative || suffix[1] == '+' ? 2 : 1);
    const std::string_view digits = take_digits(suffix);
    if (digits.empty() || !suffix.empty()) return false;
    exponent = 0;
    for (const char digit : digits) exponent = std::min(1000, exponent * 10 + (digit - '0'));
    if (negative) exponent = -exponent;
    return true;
}

inline bool read_suffix(std::string_view written, QuantityText& out) noexcept {
    for (const QuantitySuffix& suffix : quantity_suffixes) {
        if (suffix.text != written) continue;
        out.format = suffix.format;
        out.exponent = suffix.exponent;
        return true;
    }
    out.format = QuantityFormat::exponent;
    return read_exponent(written, out.exponent);
}

/// Fills `out`. Returns the fault, or NULL.
inline const char* split_quantity(std::string_view written, QuantityText& out) noexcept {
    if (written.empty()) return "empty; write it like \"4\", \"500m\" or \"32Gi\"";
    out.negative = written.front() == '-';
    if (out.negative || written.front() == '+') written.remove_prefix(1);
    out.whole = take_digits(written);
    if (!written.empty() && written.front() == '.') {
        written.remove_prefix(1);
        out.fraction = take_digits(written);
    }
    if (out.whole.empty() && out.fraction.empty()) return "no number";
    if (!read_suffix(written, out)) {
        return "unknown suffix, expected one of n u m k M G T P E Ki Mi Gi Ti Pi Ei or an "
               "exponent like e6";
    }
    return nullptr;
}

/// whole.fraction x 10^exponent in billionths, rounded up, capped.
inline Int128 decimal_nano(const QuantityText& q) noexcept {
    // Digits of whole billionths.
    const auto end = static_cast<std::ptrdiff_t>(q.whole.size()) + q.exponent + 9;
    const auto count = static_cast<std::ptrdiff_t>(q.whole.size() + q.fraction.size());
    const auto digit = [&](std::ptrdiff_t i) {
        const auto at = static_cast<std::size_t>(i);
        return (at < q.whole.size() ? q.whole[at] : q.fraction[at - q.whole.size()]) - '0';
    };
    Int128 nano = 0;
    for (std::ptrdiff_t i = 0; i < std::max(end, count); ++i) {
        const int next = i < count ? digit(i) : 0;
        if (i >= end && next != 0) return clamped(nano + 1);
        if (i >= end) continue;
        if (nano > quantity_limit / 10) return quantity_limit;
        nano = clamped(nano * 10 + next);
    }
    return nano;
}

/// whole.fraction x 2^exponent in billionths, rounded up, capped.
inline Int128 binary_nano(const QuantityText& q) noexcept {
    const Int128 scale = Int128{nanos} << q.exponent;
    Int128 units = 0;
    for (const char digit : q.whole) units = std::min(binary_limit, units * 10 + (digit - '0'));
    // Starts with the last digit: each step divides by ten, and any remainder rounds the result up.
    Int128 nano = 0;
    bool inexact = false;
    for (std::string_view rest = q.fraction; !rest.empty(); rest.remove_suffix(1)) {
        const Int128 tenfold = (rest.back() - '0') * scale + nano;
        inexact = inexact || tenfold % 10 != 0;
        nano = tenfold / 10;
    }
    nano += inexact ? 1 : 0;
    return units > binary_limit / scale ? binary_limit
                                        : std::min(binary_limit, units * scale + nano);
}

inline Int128 nano_of(const QuantityText& q) noexcept {
    return q.format == QuantityFormat::binary ? binary_nano(q) : decimal_nano(q);
}

constexpr bool fits_64_bits(Int128 n) noexcept {
    return n >= std::numeric_limits<std::int64_t>::min() &&
           n <= std::numeric_limits<std::int64_t>::max();
}

inline std::string digits_of(Int128 n) {
    if (fits_64_bits(n)) return std::to_string(static_cast<std::int64_t>(n));
    constexpr std::int64_t part = 1'000'000'000'000'000'000;
    const auto low = static_cast<std::int64_t>(n % part);
    const std::string digits = std::to_string(low < 0 ? -low : low);
    return digits_of(n / part) + std::string(18 - digits.size(), '0') + digits;
}

/// Divides `n`, which is not 0, by `by` as long as there is no remainder, at most `most` times.
/// Returns the number of divisions. Uses 64 bits as soon as they suffice, which is far faster.
inline int divide_out(Int128& n, std::int64_t by, int most) noexcept {
    int times = 0;
    for (; times < most && !fits_64_bits(n) && n % by == 0; ++times) n /= by;
    if (!fits_64_bits(n)) return times;
    auto small = static_cast<std::int64_t>(n);
    for (; times < most && small % by == 0; ++times) small /= by;
    n = small;
    return times;
}

inline std::string suffix_for(QuantityFormat format, int exponent) {
    // Not "e" + ...: g++ 12 at -O3 wrongly warns that the texts overlap.
    if (format == QuantityFormat::exponent)
        return exponent == 0 ? std::string() : std::string("e").append(std::to_string(exponent));
    for (const QuantitySuffix& suffix : quantity_suffixes) {
        if (suffix.format == format && suffix.exponent == exponent) return std::string(suffix.text);
    }
    return "";
}

inline std::string binary_text(Int128 units) {
    const int exponent = 10 * divide_out(units, 1024, 6);
    return digits_of(units) +
           suffix_for(exponent == 0 ? QuantityFormat::decimal : QuantityFormat::binary, exponent);
}

inline std::string quantity_text(Int128 nano, QuantityFormat format) {
    if (nano == 0) return "0";
    const bool below_ki = nano < Int128{1024} * nanos && nano > Int128{-1024} * nanos;
    if (format == QuantityFormat::binary && !below_ki && nano % nanos == 0)
        return binary_text(nano / nanos);
    if (format == QuantityFormat::binary) format = QuantityFormat::decimal;
    const int exponent = 3 * divide_out(nano, 1000, std::numeric_limits<int>::max()) - 9;
    // There is no suffix above E; Kubernetes uses exponents then.
    if (exponent > 18) format = QuantityFormat::exponent;
    return digits_of(nano) + suffix_for(format, exponent);
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
