#include "kubernetes/timestamps.hpp"

#include <chrono>
#include <string>

#include <capstan/time_text.hpp>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono;

constexpr int year_first = 1900, year_last = 2200;

}  // namespace

std::optional<std::string> find_timestamp_text(Time time) {
    const year_month_day date(floor<days>(time));
    if (date.year() < year(year_first) || date.year() > year(year_last)) return std::nullopt;
    return format_rfc3339(time);
}

std::optional<Time> decode_timestamp(const JsonCursor& place) {
    const auto text = place.text();
    if (!text) return std::nullopt;
    const Result<Time> time = parse_rfc3339(*text);
    if (time) return *time;
    place.complain(time.error().message);
    return std::nullopt;
}

}  // namespace capstan::kubernetes
