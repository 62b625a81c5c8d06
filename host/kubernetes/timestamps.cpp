#include "kubernetes/timestamps.hpp"

#include <charconv>
#include <chrono>
#include <string>

#include <capstan/sentence.hpp>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono;

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
    const year y(reader.number(4, 1900, 2200));
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

std::optional<Time> decode_timestamp(const JsonPlace& place) {
    const auto text = place.text();
    if (!text) return std::nullopt;
    const Result<Time> time = parse_timestamp(*text);
    if (time) return *time;
    place.complain(time.error().message);
    return std::nullopt;
}

}  // namespace capstan::kubernetes
