#include "kubernetes/timestamps.hpp"

#include <charconv>
#include <chrono>
#include <string>

#include <capstan/sentence.hpp>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono;

constexpr int year_first = 1900, year_last = 2200;

/// Takes text from the front; once something does not fit, nothing fits any more.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    /// A number of exactly that many digits, from `min` to `max`.
    int number(std::size_t digits, int min, int max) {
        int value = 0;
        const std::string_view taken = rest_.substr(0, digits);
        const auto [end, error] = std::from_chars(taken.data(), taken.data() + taken.size(), value);
        good_ = good_ && taken.size() == digits && taken.front() != '-' && error == std::errc() &&
                end == taken.data() + digits && value >= min && value <= max;
        rest_.remove_prefix(taken.size());
        return value;
    }
    void expect(char c) { good_ = take(c) && good_; }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// The digits after a point, as nanoseconds; finer ones are dropped.
    Duration fraction() {
        std::int64_t ns = 0, step = 100'000'000;
        good_ = good_ && is_digit();
        for (; is_digit(); rest_.remove_prefix(1), step /= 10) ns += (rest_.front() - '0') * step;
        return Duration(ns);
    }
    bool is_done() const { return good_ && rest_.empty(); }

private:
    bool is_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
    std::string_view rest_;
    bool good_ = true;
};

void append_number(std::string& out, std::int64_t number, std::size_t digits) {
    const std::string text = std::to_string(number);
    out.append(digits - text.size(), '0') += text;
}

/// The digits behind the point, without zeros at their end.
void append_fraction(std::string& out, Duration fraction) {
    if (fraction == Duration(0)) return;
    out += '.';
    append_number(out, fraction.count(), 9);
    out.erase(out.find_last_not_of('0') + 1);
}

Duration read_clock(Reader& reader) {
    Duration out = hours(reader.number(2, 0, 23));
    reader.expect(':');
    out += minutes(reader.number(2, 0, 59));
    return out;
}

Duration read_offset(Reader& reader) {
    if (reader.take('Z')) return {};
    if (reader.take('+')) return read_clock(reader);
    reader.expect('-');
    return -read_clock(reader);
}

}  // namespace

Result<Time> parse_timestamp(std::string_view written) {
    Reader reader(written);
    const year y(reader.number(4, year_first, year_last));
    reader.expect('-');
    const month m(static_cast<unsigned>(reader.number(2, 1, 12)));
    reader.expect('-');
    const day d(static_cast<unsigned>(reader.number(2, 1, 31)));
    reader.expect('T');
    Duration clock = read_clock(reader);
    reader.expect(':');
    clock += seconds(reader.number(2, 0, 60));
    if (reader.take('.')) clock += reader.fraction();
    const Duration offset = read_offset(reader);
    const year_month_day date(y, m, d);
    if (!reader.is_done() || !date.ok())
        return fail(ErrorCode::invalid_argument,
                    "is no time such as 2026-11-21T10:50:00Z: " + in_quotes(written));
    return Time(sys_days(date)) + clock - offset;
}

std::optional<std::string> find_timestamp_text(Time time) {
    const auto day = floor<days>(time);
    const year_month_day date(day);
    if (date.year() < year(year_first) || date.year() > year(year_last)) return std::nullopt;
    const hh_mm_ss clock(time - day);
    std::string out;
    append_number(out, static_cast<int>(date.year()), 4);
    append_number(out += '-', static_cast<unsigned>(date.month()), 2);
    append_number(out += '-', static_cast<unsigned>(date.day()), 2);
    append_number(out += 'T', clock.hours().count(), 2);
    append_number(out += ':', clock.minutes().count(), 2);
    append_number(out += ':', clock.seconds().count(), 2);
    append_fraction(out, clock.subseconds());
    return out + 'Z';
}

std::optional<Time> decode_timestamp(const JsonPlace& place) {
    const auto text = place.text();
    if (!text) return std::nullopt;
    const Result<Time> time = parse_timestamp(*text);
    if (time) return *time;
    place.complain(time.error().message);
    return std::nullopt;
}

}  // namespace capstan::kubernetes
