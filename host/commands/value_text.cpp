#include "commands/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <boost/json.hpp>

#include <capstan/ascii.hpp>

namespace capstan::commands {
namespace {

namespace json = boost::json;

/// The shortest decimal that parses to the same number; "null" for infinity and NaN, which JSON
/// does not have.
std::string decimal_text(double number) {
    if (!std::isfinite(number)) return "null";
    std::array<char, 512> room{};
    const auto end =
        std::to_chars(room.data(), room.data() + room.size(), number, std::chars_format::fixed).ptr;
    std::string out(room.data(), end);
    return out.find('.') == std::string::npos ? out + ".0" : out;
}

std::string scalar_text(const json::value& value) {
    return value.is_double() ? decimal_text(value.get_double()) : json::serialize(value);
}

bool is_empty_or_scalar(const json::value& value) {
    if (const json::object* const object = value.if_object()) return object->empty();
    if (const json::array* const array = value.if_array()) return array->empty();
    return true;
}

std::string empty_or_scalar_text(const json::value& value) {
    if (value.is_object()) return "{}";
    return value.is_array() ? "[]" : scalar_text(value);
}

class JsonWriter {
public:
    explicit JsonWriter(bool is_indented) : is_indented_(is_indented) {}

    void write(const json::value& value) {
        if (is_empty_or_scalar(value)) {
            out_ += empty_or_scalar_text(value);
        } else if (const json::object* const object = value.if_object()) {
            write_members('{', *object, '}', [this](const json::key_value_pair& member) {
                out_ += json::serialize(json::string(member.key()));
                out_ += is_indented_ ? ": " : ":";
                write(member.value());
            });
        } else {
            write_members('[', value.get_array(), ']',
                          [this](const json::value& item) { write(item); });
        }
    }
    std::string take() { return std::move(out_); }

private:
    template <class Members, class WriteOne>
    void write_members(char begin, const Members& members, char end, const WriteOne& write_one) {
        out_ += begin;
        ++depth_;
        bool is_first = true;
        for (const auto& member : members) {
            if (!is_first) out_ += ',';
            is_first = false;
            break_line();
            write_one(member);
        }
        --depth_;
        break_line();
        out_ += end;
    }
    void break_line() {
        if (is_indented_) out_ += '\n' + std::string(2 * depth_, ' ');
    }

    std::string out_;
    std::size_t depth_ = 0;
    bool is_indented_;
};

/// Whether YAML reads `text` without quotes as the same string. So are words that begin with a
/// letter and are neither booleans nor null.
bool is_plain_in_yaml(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view others = "0123456789_./-";
    constexpr std::array<std::string_view, 9> taken{"y",   "n",    "yes",   "no",  "on",
                                                    "off", "true", "false", "null"};
    if (text.empty() || letters.find(text.front()) == std::string_view::npos) return false;
    const std::string lower = lower_case(text);
    return std::ranges::count(taken, std::string_view(lower)) == 0 &&
           std::ranges::all_of(text, [&](char c) {
               return letters.find(c) != std::string_view::npos ||
                      others.find(c) != std::string_view::npos;
           });
}

std::string yaml_word(std::string_view text) {
    return is_plain_in_yaml(text) ? std::string(text) : json::serialize(json::string(text));
}

std::string yaml_scalar(const json::value& value) {
    return value.is_string() ? yaml_word(value.get_string()) : empty_or_scalar_text(value);
}

void write_yaml(std::string& out, const json::value& value, std::size_t depth);

/// Writes the value of a "key:": a scalar on the same line, anything else on the lines below.
void write_yaml_below(std::string& out, const json::value& value, std::size_t depth) {
    if (is_empty_or_scalar(value)) {
        out += ' ' + yaml_scalar(value) + '\n';
    } else {
        out += '\n';
        write_yaml(out, value, depth);
    }
}

void write_yaml(std::string& out, const json::value& value, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (is_empty_or_scalar(value)) {
        out += indent + yaml_scalar(value) + '\n';
    } else if (const json::object* const object = value.if_object()) {
        for (const json::key_value_pair& member : *object) {
            out += indent + yaml_word(member.key()) + ':';
            write_yaml_below(out, member.value(), depth + 1);
        }
    } else {
        for (const json::value& item : value.get_array()) {
            std::string lines;
            write_yaml(lines, item, depth + 1);
            // The dash replaces the indentation of the item's first line.
            out += indent + "- " + lines.substr(indent.size() + 2);
        }
    }
}

}  // namespace

std::string json_line(const json::value& value) {
    JsonWriter writer(false);
    writer.write(value);
    return writer.take();
}

std::string json_indented(const json::value& value) {
    JsonWriter writer(true);
    writer.write(value);
    return writer.take();
}

std::string yaml_text(const json::value& value) {
    std::string out;
    write_yaml(out, value, 0);
    return out;
}

}  // namespace capstan::commands
