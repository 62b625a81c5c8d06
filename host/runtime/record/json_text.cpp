#include "runtime/record/json_text.hpp"

#include <algorithm>

#include "io/printable.hpp"

namespace capstan::runtime {
namespace {

bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void JsonText::key(std::string_view key) {
    separate();
    append(key);
    out_ += ':';
}

void JsonText::text(std::string_view text) {
    separate();
    append(text);
    needs_comma_ = true;
}

void JsonText::text_member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
}

void JsonText::whole(std::int64_t number) {
    separate();
    out_ += std::to_string(number);
    needs_comma_ = true;
}

void JsonText::natural(std::uint64_t number) {
    separate();
    out_ += std::to_string(number);
    needs_comma_ = true;
}

void JsonText::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    needs_comma_ = true;
}

void JsonText::null() {
    separate();
    out_ += "null";
    needs_comma_ = true;
}

void JsonText::begin(char bracket) {
    separate();
    out_ += bracket;
}

void JsonText::end(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
}

void JsonText::separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = false;
}

void JsonText::append(std::string_view text) {
    if (std::ranges::all_of(text, is_plain)) {
        ((out_ += '"') += text) += '"';
    } else {
        out_ += io::json_quoted(io::repaired(text));
    }
}

}  // namespace capstan::runtime
