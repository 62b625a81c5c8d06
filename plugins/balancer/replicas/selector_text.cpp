#include "selector_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

namespace capstan::replicas {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t";
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// At commas, but not at those inside parentheses.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '(') ++depth;
        if (i < text.size() && text[i] == ')') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        out.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return out;
}

bool is_key(std::string_view text) {
    return !text.empty() && text.find_first_of(" \t=!(),<>") == std::string_view::npos;
}

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) && std::ranges::all_of(text, [](char c) {
               return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
           });
}

bool is_domain(std::string_view text) {
    const auto suits = [](char c) {
        return (is_letter_or_digit(c) && !(c >= 'A' && c <= 'Z')) || c == '-' || c == '.';
    };
    return text.size() <= 253 && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) && std::ranges::all_of(text, suits);
}

/// What labels may be called, and what they may say: no others could be put into a query.
bool is_label_key(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return is_name(text);
    return slash > 0 && is_domain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}
bool is_label_value(std::string_view text) { return text.empty() || is_name(text); }

Unexpected refuse(std::string_view part) {
    return fail(ErrorCode::invalid_argument, in_quotes(part) + " is no part of a selector");
}

Result<Requirement> parse_set(std::string_view part, std::string_view key, std::string_view rest) {
    const bool is_not = rest.starts_with("notin");
    if (!is_not && !rest.starts_with("in")) return refuse(part);
    std::string_view list = trimmed(rest.substr(is_not ? 5 : 2));
    if (list.size() < 2 || list.front() != '(' || list.back() != ')') return refuse(part);
    list = list.substr(1, list.size() - 2);
    Requirement out{.key = std::string(key), .op = is_not ? Operator::not_in : Operator::in};
    for (const std::string_view value : split(list)) {
        if (!value.empty() && !is_key(value)) return refuse(part);
        out.values.emplace_back(value);
    }
    return out;
}

Result<Requirement> parse_requirement(std::string_view part) {
    if (part.starts_with('!')) {
        const std::string_view key = trimmed(part.substr(1));
        if (!is_key(key)) return refuse(part);
        return Requirement{.key = std::string(key), .op = Operator::does_not_exist};
    }
    const std::size_t end = std::min(part.find_first_of(" \t=!"), part.size());
    const std::string_view key = part.substr(0, end);
    if (!is_key(key)) return refuse(part);
    std::string_view rest = trimmed(part.substr(end));
    if (rest.empty()) return Requirement{.key = std::string(key), .op = Operator::exists};
    const bool is_not = rest.starts_with("!=");
    if (!is_not && !rest.starts_with('=')) return parse_set(part, key, rest);
    rest.remove_prefix(is_not || rest.starts_with("==") ? 2 : 1);
    const std::string_view value = trimmed(rest);
    if (!value.empty() && !is_key(value)) return refuse(part);
    return Requirement{.key = std::string(key),
                       .op = is_not ? Operator::not_in : Operator::in,
                       .values = {std::string(value)}};
}

std::string requirement_text(const Requirement& r) {
    std::vector<std::string> values = r.values;
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::string list;
    for (std::size_t i = 0; i < values.size(); ++i) list += (i == 0 ? "" : ",") + values[i];
    switch (r.op) {
        case Operator::in:
            return values.size() == 1 ? r.key + "=" + list : r.key + " in (" + list + ")";
        case Operator::not_in: return r.key + " notin (" + list + ")";
        case Operator::exists: return r.key;
        case Operator::does_not_exist: return "!" + r.key;
        case Operator::gt:
        case Operator::lt: break;
    }
    return {};
}

Result<Requirement> read_expression(const Json& json) {
    Requirement out{.key = json.text_at({"key"})};
    const auto op = find_operator(json.text_at({"operator"}));
    if (const Json* values = json.find("values")) {
        for (const Json& value : values->items()) out.values.push_back(value.text());
    }
    if (op) out.op = *op;
    const bool is_sound = op && *op != Operator::gt && *op != Operator::lt &&
                          is_label_key(out.key) && is_well_formed(out) &&
                          std::ranges::all_of(out.values, is_label_value);
    if (is_sound) return out;
    return fail(ErrorCode::invalid_argument,
                "the expression about " + in_quotes(out.key) + " with operator " +
                    in_quotes(json.text_at({"operator"})) + " is none of a label selector");
}

}  // namespace

Result<LabelSelector> read_label_selector(const Json& object) {
    LabelSelector out;
    if (const Json* labels = object.find("matchLabels")) {
        for (const auto& [key, value] : labels->members()) {
            if (!is_label_key(key) || !is_label_value(value.text()))
                return fail(ErrorCode::invalid_argument,
                            in_quotes(key) + ": " + in_quotes(value.text()) + " is no label");
            out.match_labels[key] = value.text();
        }
    }
    if (const Json* expressions = object.find("matchExpressions")) {
        for (const Json& each : expressions->items()) {
            CAPSTAN_TRY(Requirement requirement, read_expression(each));
            out.match_expressions.push_back(std::move(requirement));
        }
    }
    return out;
}

Result<LabelSelector> parse_selector(std::string_view text) {
    LabelSelector out;
    if (trimmed(text).empty()) return out;
    for (const std::string_view part : split(text)) {
        CAPSTAN_TRY(Requirement requirement, parse_requirement(part));
        out.match_expressions.push_back(std::move(requirement));
    }
    return out;
}

std::string to_text(const LabelSelector& selector) {
    std::vector<std::pair<std::string, std::string>> parts;
    for (const auto& [key, value] : selector.match_labels)
        parts.emplace_back(key, key + "=" + value);
    for (const Requirement& r : selector.match_expressions)
        parts.emplace_back(r.key, requirement_text(r));
    std::ranges::sort(parts);
    std::string out;
    for (const auto& [key, part] : parts) out += (out.empty() ? "" : ",") + part;
    return out;
}

}  // namespace capstan::replicas
