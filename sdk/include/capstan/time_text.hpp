/// Points in time in the text formats of APIs and HTTP.
///
///     CAPSTAN_TRY(const Time expires, parse_rfc3339(reply.text_at({"expiration"})));
///     request.header("x-date", format_rfc3339(host.now()));
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <capstan/ascii.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// A Time can represent only parts of the years 1677 and 2262.
inline constexpr int first_year = 1678, last_year = 2261;
/// Time since midnight; the midnight of the first day is not representable as a Time.
constexpr Duration time_of_day(Time time) noexcept {
    const Duration rest = time.time_since_epoch() % std::chrono::days(1);
    return rest < Duration::zero() ? rest + std::chrono::days(1) : rest;
}

inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> day_names{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// Reads text from the front. After a mismatch `end` returns no time.
class TimeReader {
public:
    explicit TimeReader(std::string_view text) noexcept : rest_(text) {}

    /// A number with exactly `digits` digits, from `min` to `max`.
    int number(std::size_t digits, int min, int max) noexcept {
        int value = 0;
        const std::string_view taken = rest_.substr(0, digits);
        const char* const end = taken.data() + taken.size();
        const auto [at, bad] = std::from_chars(taken.data(), end, value);
        good_ = good_ && taken.size() == digits && taken.front() != '-' && bad == std::errc() &&
                at == end && value >= min && value <= max;
        rest_.remove_prefix(taken.size());
        return value;
    }
    /// The index of the name at the front.
    template <std::size_t n>
    int name(const std::array<std::string_view, n>& names, std::size_t letters) noexcept {
        for (std::size_t i = 0; i < n; ++i) {
            if (take(names[i].substr(0, letters))) return static_cast<int>(i);
        }
        good_ = false;
        return 0;
    }
    void expect(std::string_view text) noexcept { good_ = take(text) && good_; }
    bool take(std::string_view text) noexcept {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }
    /// The digits after a decimal point, as nanoseconds; digits after the ninth are dropped.
    Duration fraction() noexcept {
        std::int64_t ns = 0, step = 100'000'000;
        good_ = good_ && has_digit();
        for (; has_digit(); rest_.remove_prefix(1), step /= 10) ns += (rest_.front() - '0') * step;
        return Duration(ns);
    }
    /// `minutes` reads "10:50", and `clock` "10:50:07". A leap second (":60") counts as the first
    /// second of the next minute.
    Duration minutes() noexcept {
        Duration out = std::chrono::hours(number(2, 0, 23));
        expect(":");
        return out + std::chrono::minutes(number(2, 0, 59));
    }
    Duration clock() noexcept {
        const Duration out = minutes();
        expect(":");
        return out + std::chrono::seconds(number(2, 0, 60));
    }
    /// Absent unless all of the text was read and the date exists.
    std::optional<Time> end(int year, int month, int day, Duration of_day) const noexcept {
        const std::chrono::year_month_day date{std::chrono::year(year),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day))};
        if (!good_ || !rest_.empty() || !date.ok()) return std::nullopt;
        return Time(std::chrono::sys_days(date)) + of_day;
    }

private:
    bool has_digit() const noexcept { return !rest_.empty() && is_ascii_digit(rest_.front()); }
    std::string_view rest_;
    bool good_ = true;
};

/// "Sun, 06 Nov 1994 08:49:37 GMT"
inline std::optional<Time> find_imf_date(std::string_view text) noexcept {
    TimeReader reader(text);
    reader.name(day_names, 3);
    reader.expect(", ");
    const int day = reader.number(2, 1, 31);
    reader.expect(" ");
    const int month = reader.name(month_names, 3) + 1;
    reader.expect(" ");
    const int year = reader.number(4, first_year, last_year);
    reader.expect(" ");
    const Duration of_day = reader.clock();
    reader.expect(" GMT");
    return reader.end(year, month, day, of_day);
}

/// "Sunday, 06-Nov-94 08:49:37 GMT"
inline std::optional<Time> find_rfc850_date(std::string_view text) noexcept {
    TimeReader reader(text);
    reader.name(day_names, std::string_view::npos);
    reader.expect(", ");
    const int day = reader.number(2, 1, 31);
    reader.expect("-");
    const int month = reader.name(month_names, 3) + 1;
    reader.expect("-");
    const int year = reader.number(2, 0, 99);
    reader.expect(" ");
    const Duration of_day = reader.clock();
    reader.expect(" GMT");
    return reader.end(year + (year < 70 ? 2000 : 1900), month, day, of_day);
}

/// "Sun Nov  6 08:49:37 1994"
inline std::optional<Time> find_asctime_date(std::string_view text) noexcept {
    TimeReader reader(text);
    reader.name(day_names, 3);
    reader.expect(" ");
    const int month = reader.name(month_names, 3) + 1;
    reader.expect(" ");
    const int day = reader.take(" ") ? reader.number(1, 1, 9) : reader.number(2, 10, 31);
    reader.expect(" ");
    const Duration of_day = reader.clock();
    reader.expect(" ");
    const int year = reader.number(4, first_year, last_year);
    return reader.end(year, month, day, of_day);
}

/// At least `width` digits.
inline std::string padded(std::int64_t number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

inline std::string clock_text(std::chrono::hh_mm_ss<Duration> clock) {
    return padded(clock.hours().count(), 2) + ':' + padded(clock.minutes().count(), 2) + ':' +
           padded(clock.seconds().count(), 2);
}

/// Date and time to the second, without a zone.
inline std::string date_and_clock(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    return padded(static_cast<int>(date.year()), 4) + '-' +
           padded(static_cast<unsigned>(date.month()), 2) + '-' +
           padded(static_cast<unsigned>(date.day()), 2) + 'T' +
           clock_text(std::chrono::hh_mm_ss<Duration>(time_of_day(time)));
}

/// The fraction of the second, with nine digits.
inline std::string nanoseconds_text(Time time) {
    return padded((time_of_day(time) % std::chrono::seconds(1)).count(), 9);
}

}  // namespace detail

/// As parse_rfc3339; absent: invalid.
inline std::optional<Time> find_rfc3339(std::string_view text) noexcept {
    detail::TimeReader reader(text);
    const int year = reader.number(4, detail::first_year, detail::last_year);
    reader.expect("-");
    const int month = reader.number(2, 1, 12);
    reader.expect("-");
    const int day = reader.number(2, 1, 31);
    reader.expect("T");
    Duration of_day = reader.clock();
    if (reader.take(".")) of_day += reader.fraction();
    if (reader.take("+")) {
        of_day -= reader.minutes();
    } else if (reader.take("-")) {
        of_day += reader.minutes();
    } else {
        reader.expect("Z");
    }
    return reader.end(year, month, day, of_day);
}

/// RFC 3339, to the nanosecond: "2026-11-21T10:50:00Z", "2026-11-21T11:50:00.25+01:00".
/// `invalid_argument`: invalid, or outside the years 1678 to 2261, like the "never" of some APIs.
inline Result<Time> parse_rfc3339(std::string_view text) {
    if (const std::optional<Time> time = find_rfc3339(text)) return *time;
    return fail(ErrorCode::invalid_argument,
                in_quotes(text) + " is not a time such as 2026-11-21T10:50:00Z");
}

/// In UTC, with as many decimal places as needed: "2026-11-21T10:50:00.25Z".
inline std::string format_rfc3339(Time time) {
    std::string out = detail::date_and_clock(time) + '.' + detail::nanoseconds_text(time);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out + 'Z';
}

/// In UTC, with `digits` decimal places, at most nine, rounded down. Kubernetes uses 0 for most
/// times, and 6 for Leases.
///     format_rfc3339(time, 0)  ->  "2026-11-21T10:50:00Z"
///     format_rfc3339(time, 6)  ->  "2026-11-21T10:50:00.250000Z"
inline std::string format_rfc3339(Time time, std::size_t digits) {
    std::string out = detail::date_and_clock(time);
    if (digits > 0) out += '.' + detail::nanoseconds_text(time).substr(0, digits);
    return out + 'Z';
}

/// A date of an HTTP header, in any of the three forms of RFC 9110; a year with two digits is from
/// 1970 to 2069. The day of the week is not checked against the date. `invalid_argument`: invalid.
inline Result<Time> parse_http_date(std::string_view text) {
    if (const std::optional<Time> time = detail::find_imf_date(text)) return *time;
    if (const std::optional<Time> time = detail::find_rfc850_date(text)) return *time;
    if (const std::optional<Time> time = detail::find_asctime_date(text)) return *time;
    return fail(ErrorCode::invalid_argument,
                in_quotes(text) + " is not a date such as Sun, 06 Nov 1994 08:49:37 GMT");
}

/// "Sun, 06 Nov 1994 08:49:37 GMT": rounded down to seconds.
inline std::string format_http_date(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::size_t of_week = std::chrono::weekday(day).c_encoding();
    const std::size_t month = static_cast<unsigned>(date.month()) - 1;
    return std::string(detail::day_names[of_week].substr(0, 3)) + ", " +
           detail::padded(static_cast<unsigned>(date.day()), 2) + ' ' +
           std::string(detail::month_names[month]) + ' ' +
           detail::padded(static_cast<int>(date.year()), 4) + ' ' +
           detail::clock_text(std::chrono::hh_mm_ss<Duration>(detail::time_of_day(time))) + " GMT";
}

CAPSTAN_NAMESPACE_END
