#include "autoscaler/record/json_form.hpp"

#include <array>
#include <charconv>

#include <capstan/duration.hpp>

#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::record {

void JsonForm<double>::write(JsonText& out, double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.text({digits.data(), end});
}

void JsonForm<double>::read(const JsonCursor& place, double& value) {
    const auto text = place.text();
    if (!text) return;
    double read = 0;
    const char* last = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), last, read);
    if (error == std::errc() && end == last) {
        value = read;
    } else {
        place.expects("a number as text");
    }
}

void JsonForm<Duration>::write(JsonText& out, Duration value) { out.text(format_duration(value)); }

void JsonForm<Duration>::read(const JsonCursor& place, Duration& value) {
    const auto text = place.text();
    if (!text) return;
    if (const Result<Duration> read = parse_duration(*text)) {
        value = *read;
    } else {
        place.complain(read.error().message);
    }
}

void JsonForm<Time>::write(JsonText& out, Time value) {
    if (const auto text = kubernetes::find_timestamp_text(value)) {
        out.text(*text);
    } else {
        out.whole(unix_ns(value));
    }
}

void JsonForm<Time>::read(const JsonCursor& place, Time& value) {
    if (place.is_absent()) return;
    if (place.is_text()) {
        if (const auto read = kubernetes::decode_timestamp(place)) value = *read;
    } else {
        std::int64_t ns = unix_ns(value);
        JsonForm<std::int64_t>::read(place, ns);
        value = time_from_unix_ns(ns);
    }
}

void JsonForm<Resources>::write(JsonText& out, const Resources& value) {
    out.begin_object();
    for (const auto& [resource, amount] : value) {
        out.key(resource);
        out.whole(amount);
    }
    out.end_object();
}

void JsonForm<Resources>::read(const JsonCursor& place, Resources& value) {
    for (const JsonCursor& member : place.members())
        value.set(member.key(), read_json<std::int64_t>(member));
}

}  // namespace capstan::autoscaler::record
