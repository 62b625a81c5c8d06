/// Lengths of time as text: "90s", "1h30m", "1.5h", "500ms". Configuration and messages write
/// durations this way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/detail/text.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

struct DurationUnit {
    std::string_view name;
    std::uint64_t ns;
};

/// Unicode has two micro signs, and both are used.
inline constexpr std::array<DurationUnit, 9> duration_units{{{"d", 86'400'000'000'000},
                                                             {"h", 3'600'000'000'000},
                                                             {"m", 60'000'000'000},
                                                             {"s", 1'000'000'000},
                                                             {"ms", 1'000'000},
                                                             {"us", 1'000},
                                                             {"\u00b5s", 1'000},
                                                             {"\u03bcs", 1'000},
                                                             {"ns", 1}}};

/// `digits` times `unit`; absent if the result exceeds `limit`.
constexpr std::optional<std::uint64_t> whole_ns(std::string_view digits, std::uint64_t unit,
                                                std::uint64_t limit) noexcept {
    std::uint64_t number = 0;
    for (const char c : digits) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (digit > limit / unit || number > (limit / unit - digit) / 10) return std::nullopt;
        number = number * 10 + digit;
    }
    return number * unit;
}

/// "0.digits" of `unit` in nanoseconds, rounded down. Starts with the last digit, so that
/// rounding the intermediate results down does not change the result.
constexpr std::uint64_t fraction_ns(std::string_view digits, std::uint64_t unit) noexcept {
    std::uint64_t ns = 0;
    for (; !digits.empty(); digits.remove_suffix(1)) {
        ns = (static_cast<std::uint64_t>(digits.back() - '0') * unit + ns) / 10;
    }
    return ns;
}

/// Removes the unit at the front of `rest` and returns it; NULL: unknown.
inline const DurationUnit* take_unit(std::string_view& rest) noexcept {
    std::size_t length = 0;
    while (length < rest.size() && rest[length] != '.' && !is_digit(rest[length])) ++length;
    for (const DurationUnit& unit : duration_units) {
        if (unit.name != rest.substr(0, length)) continue;
        rest.remove_prefix(length);
        return &unit;
    }
    return nullptr;
}

/// Removes a number with its unit from the front of `rest` and adds it to `sum`. Returns the fault,
/// or NULL.
inline const char* take_duration_part(std::string_view& rest, std::uint64_t& sum,
                                      std::uint64_t limit) noexcept {
    const std::string_view whole = take_digits(rest);
    std::string_view fraction;
    if (!rest.empty() && rest.front() == '.') {
        rest.remove_prefix(1);
        fraction = take_digits(rest);
    }
    if (whole.empty() && fraction.empty()) return "missing number";
    const DurationUnit* unit = take_unit(rest);
    if (unit == nullptr) return "missing or unknown unit, expected ns, us, ms, s, m, h or d";
    const std::optional<std::uint64_t> ns = whole_ns(whole, unit->ns, limit - sum);
    if (!ns) return "more than 292 years";
    const std::uint64_t more = fraction_ns(fraction, unit->ns);
    if (more > limit - sum - *ns) return "more than 292 years";
    sum += *ns + more;
    return nullptr;
}

/// `ns` as a decimal number of units of `unit` nanoseconds, without trailing zeros: 1500 ns in
/// units of 1000 ns is "1.5".
inline std::string decimal(std::uint64_t ns, std::uint64_t unit) {
    std::string out = std::to_string(ns / unit);
    std::uint64_t rest = ns % unit;
    if (rest != 0) out += '.';
    for (std::uint64_t worth = unit / 10; rest != 0; worth /= 10) {
        out += static_cast<char>('0' + rest / worth);
        rest %= worth;
    }
    return out;
}

inline std::string format_below_minute(std::uint64_t ns) {
    if (ns < 1'000) return std::to_string(ns) + "ns";
    if (ns < 1'000'000) return decimal(ns, 1'000) + "us";
    if (ns < 1'000'000'000) return decimal(ns, 1'000'000) + "ms";
    return decimal(ns, 1'000'000'000) + "s";
}

}  // namespace detail

/// Parses an optional sign and one or more numbers with units: ns, us (or µs), ms, s, m, h, d; "0"
/// needs no unit. Fractions of a nanosecond are dropped. Fails on anything else and on more than
/// 292 years.
///     "1h30m" -> 90 min        "1.5h" -> 90 min        "-2m" -> -120 s        "90" -> error
inline Result<Duration> parse_duration(std::string_view written) {
    const auto refuse = [&](const char* why) {
        return fail(ErrorCode::invalid_argument, "duration " + in_quotes(written) + ": " + why);
    };
    std::string_view rest = written;
    const bool negative = !rest.empty() && rest.front() == '-';
    if (negative || (!rest.empty() && rest.front() == '+')) rest.remove_prefix(1);
    if (rest == "0") return Duration(0);
    if (rest.empty()) return refuse("empty; write it like \"90s\" or \"1h30m\"");
    // The smallest Duration is one nanosecond further from zero than the largest one.
    const std::uint64_t limit =
        std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
    std::uint64_t sum = 0;
    while (!rest.empty()) {
        if (const char* why = detail::take_duration_part(rest, sum, limit)) return refuse(why);
    }
    return Duration(static_cast<std::int64_t>(negative ? ~sum + 1 : sum));
}

/// The shortest usual form, with hours as the largest unit; parse_duration reads it back exactly.
///     90 min -> "1h30m"        36 h -> "36h"        1500 ms -> "1.5s"        0 -> "0s"
inline std::string format_duration(Duration duration) {
    if (duration == Duration(0)) return "0s";
    const bool negative = duration < Duration(0);
    std::uint64_t ns = static_cast<std::uint64_t>(duration.count());
    if (negative) ns = ~ns + 1;
    const std::uint64_t hours = ns / 3'600'000'000'000;
    const std::uint64_t minutes = ns / 60'000'000'000 % 60;
    const std::uint64_t below = ns % 60'000'000'000;
    std::string out = negative ? "-" : "";
    if (hours != 0) out += std::to_string(hours) + "h";
    if (minutes != 0) out += std::to_string(minutes) + "m";
    if (below != 0) out += detail::format_below_minute(below);
    return out;
}

/// The same for people: whole seconds, or whole milliseconds if shorter than a second, rounded
/// toward zero.
///     38.6497214s -> "38s"        1h -> "1h"        1.5ms -> "1ms"
inline std::string format_rough_duration(Duration duration) {
    using namespace std::chrono;
    const bool is_short = duration > -seconds(1) && duration < seconds(1);
    const Duration whole = is_short ? Duration(duration_cast<milliseconds>(duration))
                                    : Duration(duration_cast<seconds>(duration));
    return format_duration(whole);
}

CAPSTAN_NAMESPACE_END
