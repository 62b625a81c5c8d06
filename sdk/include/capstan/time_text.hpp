/// Points in time as APIs and HTTP write them.
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

/// What a Time can hold are parts of the years before and after these.
inline constexpr int first_year = 1678, last_year = 2261;
/// Since the midnight before; that midnight of the first day is no Time.
constexpr Duration time_of_day(Time time) noexcept {
    const Duration rest = time.time_since_epoch() % std::chrono::days(1);
    return rest < Duration::zero() ? rest + std::chrono::days(1) : rest;
}

inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> day_names{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// Takes text from the front; once something does not fit, nothing fits any more.
class TimeReader {
public:
    explicit TimeReader(std::string_view text) noexcept : rest_(text) {}

    /// A number of exactly that many digits, from `min` to `max`.
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
    /// The digits after a point, as nanoseconds; finer ones are dropped.
    Duration fraction() noexcept {
        std::int64_t ns = 0, step = 100'000'000;
        good_ = good_ && has_digit();
        for (; has_digit(); rest_.remove_prefix(1), step /= 10) ns += (rest_.front() - '0') * step;
        return Duration(ns);
    }
    /// "10:50" and "10:50:07"; a leap second is the first one of the next minute.
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
    /// Nothing unless all of the text was taken, and the date is one.
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

/// Up to the second, without a zone.
inline std::string date_and_clock(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    return padded(static_cast<int>(date.year()), 4) + '-' +
           padded(static_cast<unsigned>(date.month()), 2) + '-' +
           padded(static_cast<unsigned>(date.day()), 2) + 'T' +
           clock_text(std::chrono::hh_mm_ss<Duration>(time_of_day(time)));
}

/// Nine digits.
inline std::string nanoseconds_text(Time time) {
    return padded((time_of_day(time) % std::chrono::seconds(1)).count(), 9);
}

}  // namespace detail

/// As parse_rfc3339; nothing: it is none.
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
/// `invalid_argument`: it is none, or lies outside the years 1678 to 2261, as the "never" of some
/// APIs does.
inline Result<Time> parse_rfc3339(std::string_view text) {
    if (const std::optional<Time> time = find_rfc3339(text)) return *time;
    return fail(ErrorCode::invalid_argument,
                in_quotes(text) + " is no time such as 2026-11-21T10:50:00Z");
}

/// In UTC, with as many digits behind the point as it takes: "2026-11-21T10:50:00.25Z".
inline std::string format_rfc3339(Time time) {
    std::string out = detail::date_and_clock(time) + '.' + detail::nanoseconds_text(time);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out + 'Z';
}

/// In UTC, with that many digits behind the point, nine at most, rounded down. Kubernetes writes
/// most times with 0, those of leases with 6.
///     format_rfc3339(time, 0)  ->  "2026-11-21T10:50:00Z"
///     format_rfc3339(time, 6)  ->  "2026-11-21T10:50:00.250000Z"
inline std::string format_rfc3339(Time time, std::size_t digits) {
    std::string out = detail::date_and_clock(time);
    if (digits > 0) out += '.' + detail::nanoseconds_text(time).substr(0, digits);
    return out + 'Z';
}

/// A date as HTTP headers have it, in any of the three forms of RFC 9110; two digits of a year are
/// one of 1970 to 2069. Whether the day of the week suits the date is not looked at.
/// `invalid_argument`: it is none.
inline Result<Time> parse_http_date(std::string_view text) {
    if (const std::optional<Time> time = detail::find_imf_date(text)) return *time;
    if (const std::optional<Time> time = detail::find_rfc850_date(text)) return *time;
    if (const std::optional<Time> time = detail::find_asctime_date(text)) return *time;
    return fail(ErrorCode::invalid_argument,
                in_quotes(text) + " is no date such as Sun, 06 Nov 1994 08:49:37 GMT");
}

/// "Sun, 06 Nov 1994 08:49:37 GMT": the second that it is in.
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
