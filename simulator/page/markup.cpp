#include "simulator/page/markup.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <capstan/utf8.hpp>

namespace capstan::simulator::page {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// The length in bytes of the first character of `text`; 0: it is broken UTF-8 or not allowed in
/// XML.
std::size_t length_of_character(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        const bool is_allowed = first >= 0x20 || first == '\n' || first == '\t';
        return is_allowed && first != 0x7f ? 1 : 0;
    }
    const std::size_t length = utf8_length(text);
    const bool is_control = first == 0xc2 && length == 2 && byte(1) < 0xa0;
    const bool is_no_character =
        text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
    return is_control || is_no_character ? 0 : length;
}

std::string_view entity_of(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: return {};
    }
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        const std::string_view entity = entity_of(text.front());
        out += length == 0 ? replacement : entity.empty() ? text.substr(0, length) : entity;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string coordinate(double value) {
    const auto tenths = static_cast<long long>(std::llround(value * 10));
    char out[32];
    if (tenths % 10 == 0) {
        std::snprintf(out, sizeof out, "%lld", tenths / 10);
    } else {
        std::snprintf(out, sizeof out, "%s%lld.%lld", tenths < 0 ? "-" : "",
                      std::llabs(tenths) / 10, std::llabs(tenths) % 10);
    }
    return out;
}

void Markup::start(std::string_view name, Attributes attributes) {
    out_ += '<';
    out_ += name;
    for (const auto& [key, value] : attributes) {
        out_ += ' ';
        out_ += key;
        out_ += "=\"";
        out_ += escaped(value);
        out_ += '"';
    }
}

Markup& Markup::open(std::string_view name, Attributes attributes) {
    start(name, attributes);
    out_ += '>';
    open_.emplace_back(name);
    return *this;
}

Markup& Markup::close() {
    out_ += "</" + open_.back() + ">\n";
    open_.pop_back();
    return *this;
}

Markup& Markup::text(std::string_view text) {
    out_ += escaped(text);
    return *this;
}

Markup& Markup::leaf(std::string_view name, std::string_view content, Attributes attributes) {
    open(name, attributes);
    return text(content).close();
}

Markup& Markup::empty(std::string_view name, Attributes attributes) {
    start(name, attributes);
    out_ += "/>\n";
    return *this;
}

Markup& Markup::raw(std::string_view markup) {
    out_ += markup;
    return *this;
}

std::string Markup::take() {
    while (!open_.empty()) close();
    return std::exchange(out_, {});
}

}  // namespace capstan::simulator::page
