#include "io/text_format.hpp"

#include <algorithm>

#include <capstan/ascii.hpp>

namespace capstan::io {
namespace {

constexpr std::string_view white_space = " \t\r\n";

/// The first line that is neither blank nor a comment, without white space around it.
std::string_view first_line(std::string_view text) noexcept {
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t begin = line.find_first_not_of(white_space);
        if (begin == std::string_view::npos || line[begin] == '#') continue;
        return line.substr(begin, line.find_last_not_of(white_space) + 1 - begin);
    }
    return {};
}

/// "key: value", "key:", "---" or "- item".
bool is_yaml(std::string_view line) noexcept {
    if (line.starts_with("---") || line.starts_with("- ") || line.starts_with("%YAML")) return true;
    const auto end = std::ranges::find_if_not(
        line, [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.'; });
    const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.begin()));
    return end != line.begin() && (rest == ":" || rest.starts_with(": "));
}

/// "NAME   READY   STATUS   RESTARTS   AGE"
bool is_kubectl_table(std::string_view line) noexcept {
    return (line.starts_with("NAME ") || line.starts_with("NAMESPACE ")) &&
           line.find("  ") != std::string_view::npos && line.find('=') == std::string_view::npos;
}

bool is_html(std::string_view line) noexcept {
    constexpr std::string_view begins[] = {"<!doctype", "<html"};
    return std::ranges::any_of(begins, [line](std::string_view begin) {
        return std::ranges::equal(line.substr(0, begin.size()), begin, {}, ascii_lower);
    });
}

/// "[section]", "[[list]]" or "key = value".
bool is_toml(std::string_view line) noexcept {
    if (line.starts_with('['))
        return line.starts_with("[[") || (line.size() > 1 && is_ascii_alnum(line[1]));
    return is_ascii_alnum(line.empty() ? ' ' : line.front()) &&
           line.find('=') != std::string_view::npos;
}

}  // namespace

bool is_blank(std::string_view text) noexcept {
    return text.find_first_not_of(white_space) == std::string_view::npos;
}

std::string_view recognize_format(std::string_view beginning) noexcept {
    const std::string_view line = first_line(beginning);
    if (line.starts_with('{')) return "JSON";
    if (is_html(line)) return "HTML";
    if (is_kubectl_table(line)) return "a table of kubectl";
    if (is_yaml(line)) return "YAML";
    return is_toml(line) ? "TOML" : "";
}

}  // namespace capstan::io
