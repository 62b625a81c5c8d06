/// Label selectors in the text form of queries and the object form of manifests.
///
///     CAPSTAN_TRY(const LabelSelector selector, parse_selector("app=web,tier in (a,b),!old"));
///     format_selector(selector)  ->  "app=web,!old,tier in (a,b)"
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/label_syntax.hpp>
#include <capstan/labels.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

inline std::string_view without_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Splits at commas outside parentheses.
inline std::vector<std::string_view> selector_parts(std::string_view text) {
    std::vector<std::string_view> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '(') ++depth;
        if (i < text.size() && text[i] == ')') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        out.push_back(without_blanks(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return out;
}

inline Unexpected no_selector_part(std::string_view part) {
    return fail(ErrorCode::invalid_argument,
                in_quotes(part) + " is not a valid part of a selector");
}

/// Parses `text`, the "in (a,b)" or "notin (a)" in `part`.
inline Result<Requirement> parse_set(std::string_view part, std::string_view text) {
    const bool is_not = text.starts_with("notin");
    if (!is_not && !text.starts_with("in")) return no_selector_part(part);
    std::string_view list = without_blanks(text.substr(is_not ? 5 : 2));
    if (list.size() < 2 || list.front() != '(' || list.back() != ')') return no_selector_part(part);
    list = list.substr(1, list.size() - 2);
    Requirement out{{}, is_not ? Operator::not_in : Operator::in, {}};
    for (const std::string_view value : selector_parts(list)) out.values.emplace_back(value);
    return out;
}

/// Parses `text`, which follows the key in `part`.
inline Result<Requirement> parse_condition(std::string_view part, std::string_view text) {
    if (text.empty()) return Requirement{{}, Operator::exists, {}};
    if (text.front() == '>' || text.front() == '<')
        return Requirement{{},
                           text.front() == '>' ? Operator::gt : Operator::lt,
                           {std::string(without_blanks(text.substr(1)))}};
    const bool is_not = text.starts_with("!=");
    if (!is_not && !text.starts_with('=')) return parse_set(part, text);
    text.remove_prefix(is_not || text.starts_with("==") ? 2 : 1);
    return Requirement{
        {}, is_not ? Operator::not_in : Operator::in, {std::string(without_blanks(text))}};
}

inline Result<Requirement> parse_requirement(std::string_view part) {
    Requirement out;
    if (part.starts_with('!')) {
        out.key = without_blanks(part.substr(1));
        out.op = Operator::does_not_exist;
    } else {
        const std::size_t end = std::min(part.find_first_of(" \t\r\n=!<>"), part.size());
        CAPSTAN_TRY(out, parse_condition(part, without_blanks(part.substr(end))));
        out.key = part.substr(0, end);
    }
    if (out.key.empty()) return no_selector_part(part);
    CAPSTAN_CHECK(check_label_key(out.key));
    for (const std::string& value : out.values) CAPSTAN_CHECK(check_label_value(value));
    if (!is_well_formed(out)) return no_selector_part(part);
    return out;
}

/// Empty for Gt and Lt, which are not part of label selectors.
inline std::string format_requirement(const Requirement& requirement) {
    std::vector<std::string> values = requirement.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::string list;
    for (std::size_t i = 0; i < values.size(); ++i) list += (i == 0 ? "" : ",") + values[i];
    const std::string& key = requirement.key;
    switch (requirement.op) {
        case Operator::in:
            return values.size() == 1 ? key + "=" + list : key + " in (" + list + ")";
        case Operator::not_in: return key + " notin (" + list + ")";
        case Operator::exists: return key;
        case Operator::does_not_exist: return "!" + key;
        case Operator::gt:
        case Operator::lt: break;
    }
    return {};
}

inline Result<Requirement> read_expression(const Json& json) {
    Requirement out;
    out.key = json.text_at({"key"});
    const auto op = find_operator(json.text_at({"operator"}));
    if (const Json* values = json.find("values")) {
        for (const Json& value : values->items()) out.values.push_back(value.text());
    }
    if (op) out.op = *op;
    const bool is_sound = op && *op != Operator::gt && *op != Operator::lt &&
                          is_label_key(out.key) && is_well_formed(out) &&
                          std::all_of(out.values.begin(), out.values.end(),
                                      [](const std::string& v) { return is_label_value(v); });
    if (is_sound) return out;
    return fail(ErrorCode::invalid_argument,
                "the expression about " + in_quotes(out.key) + " with operator " +
                    in_quotes(json.text_at({"operator"})) + " is not allowed in a label selector");
}

}  // namespace detail

/// Parses the labelSelector of a list request: "app=web,tier in (a,b),!old,x notin (y),rank>3".
/// Empty for an empty text. `invalid_argument`: invalid; the message shows the part.
inline Result<std::vector<Requirement>> parse_requirements(std::string_view text) {
    std::vector<Requirement> out;
    if (detail::without_blanks(text).empty()) return out;
    for (const std::string_view part : detail::selector_parts(text)) {
        CAPSTAN_TRY(Requirement requirement, detail::parse_requirement(part));
        out.push_back(std::move(requirement));
    }
    return out;
}

/// Parses "app=web,tier in (a,b),!old,x notin (y)". Every part becomes an expression; an empty text
/// gives the selector that matches everything. `invalid_argument`: invalid, or a comparison of
/// numbers, which label selectors of objects do not have; the message shows the part.
inline Result<LabelSelector> parse_selector(std::string_view text) {
    LabelSelector out;
    CAPSTAN_TRY(out.match_expressions, parse_requirements(text));
    for (const Requirement& r : out.match_expressions) {
        if (r.op == Operator::gt || r.op == Operator::lt)
            return detail::no_selector_part(r.key + (r.op == Operator::gt ? ">" : "<") +
                                            r.values.front());
    }
    return out;
}

/// Kubernetes' form, sorted by keys. Empty for the selector that matches everything.
inline std::string format_selector(const LabelSelector& selector) {
    std::vector<std::pair<std::string, std::string>> parts;
    for (const auto& [key, value] : selector.match_labels)
        parts.emplace_back(key, key + "=" + value);
    for (const Requirement& r : selector.match_expressions)
        parts.emplace_back(r.key, detail::format_requirement(r));
    std::sort(parts.begin(), parts.end());
    std::string out;
    for (const auto& [key, part] : parts) out += (out.empty() ? "" : ",") + part;
    return out;
}

/// Reads a metav1.LabelSelector; an empty one matches everything. `invalid_argument`: Kubernetes
/// would refuse it.
inline Result<LabelSelector> read_label_selector(const Json& object) {
    LabelSelector out;
    if (const Json* labels = object.find("matchLabels")) {
        for (const auto& [key, value] : labels->members()) {
            if (!is_label_key(key) || !is_label_value(value.text()))
                return fail(
                    ErrorCode::invalid_argument,
                    in_quotes(key) + ": " + in_quotes(value.text()) + " is not a label value");
            out.match_labels[key] = value.text();
        }
    }
    if (const Json* expressions = object.find("matchExpressions")) {
        for (const Json& each : expressions->items()) {
            CAPSTAN_TRY(Requirement requirement, detail::read_expression(each));
            out.match_expressions.push_back(std::move(requirement));
        }
    }
    return out;
}

CAPSTAN_NAMESPACE_END
