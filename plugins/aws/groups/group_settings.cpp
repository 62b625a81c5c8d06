#include "group_settings.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::aws {
namespace {

constexpr std::string_view upstream_prefix = "asg:tag=";

Unexpected mistake(std::string why) { return fail(ErrorCode::invalid_config, std::move(why)); }

std::optional<int> parse_group_size(std::string_view text) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || out < 0) return std::nullopt;
    return out;
}

/// AWS takes every printable character but the colon.
bool is_group_name_character(char c) { return c > ' ' && c < 0x7f && c != ':'; }

Result<std::string> parse_group_name(std::string_view text) {
    if (text.empty()) return mistake("has no group name; expected min:max:name");
    for (const char c : text) {
        if (!is_group_name_character(c))
            return mistake("invalid group name " + in_quotes(text) +
                           ": expected printable characters without blanks and colons");
    }
    if (text.size() > 255) return mistake("group name longer than 255 characters");
    return std::string(text);
}

/// Whether the text has a discovery prefix of cluster-autoscaler other than "asg:tag=".
bool has_wrong_prefix(std::string_view text) {
    return text.starts_with("asg:") || text.starts_with("mig:") || text.starts_with("label:");
}

Result<TagFilter> parse_tag_filter(std::string_view text) {
    const std::size_t equals = text.find('=');
    TagFilter out{.key = std::string(text.substr(0, equals))};
    if (out.key.empty()) return mistake("has a tag without a key");
    if (out.key.starts_with(' ') || out.key.ends_with(' '))
        return mistake("has the tag " + in_quotes(out.key) + " with a leading or trailing blank");
    if (equals != std::string_view::npos) out.value = std::string(text.substr(equals + 1));
    return out;
}

}  // namespace

Result<StaticGroup> parse_static_group(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    if (second == std::string_view::npos) return mistake("expected min:max:name");
    const std::string_view min = text.substr(0, first);
    const std::string_view max = text.substr(first + 1, second - first - 1);
    StaticGroup out;
    for (const auto& [size, to] : {std::pair(min, &out.min), std::pair(max, &out.max)}) {
        const std::optional<int> number = parse_group_size(size);
        if (!number)
            return mistake("invalid size " + in_quotes(size) +
                           ": expected an integer of at least 0");
        *to = *number;
    }
    if (out.min > out.max)
        return mistake("minimum " + std::to_string(out.min) + " is above maximum " +
                       std::to_string(out.max));
    CAPSTAN_TRY(out.name, parse_group_name(text.substr(second + 1)));
    return out;
}

Result<std::vector<TagFilter>> parse_tag_expression(std::string_view text) {
    if (text.starts_with(upstream_prefix)) {
        text.remove_prefix(upstream_prefix.size());
    } else if (has_wrong_prefix(text)) {
        return mistake("expected the prefix asg:tag=");
    }
    if (text.empty()) return mistake("has no tag, so it would select every group of the account");
    std::vector<TagFilter> out;
    for (;;) {
        const std::size_t comma = text.find(',');
        CAPSTAN_TRY(TagFilter tag, parse_tag_filter(text.substr(0, comma)));
        out.push_back(std::move(tag));
        if (comma == std::string_view::npos) return out;
        text.remove_prefix(comma + 1);
    }
}

std::string format_tags(const std::vector<TagFilter>& tags) {
    std::string out;
    for (const TagFilter& tag : tags) {
        out += (out.empty() ? "" : ",") + tag.key;
        if (tag.value) out += "=" + *tag.value;
    }
    return out;
}

}  // namespace capstan::aws
