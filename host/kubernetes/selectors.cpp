#include "kubernetes/selectors.hpp"

#include <string>

namespace capstan::kubernetes {
namespace {

bool is_about_order(Operator op) { return op == Operator::gt || op == Operator::lt; }

Requirement decode_requirement(const JsonCursor& expression, bool with_order) {
    Requirement out{.key = std::string(expression.required("key").text().value_or(""))};
    const JsonCursor op = expression.required("operator");
    const std::optional<Operator> known = find_operator(op.text().value_or(""));
    if (!known || (is_about_order(*known) && !with_order)) {
        if (op.text())
            op.expects(with_order ? "In, NotIn, Exists, DoesNotExist, Gt or Lt"
                                  : "In, NotIn, Exists or DoesNotExist");
        return out;
    }
    out.op = *known;
    for (const JsonCursor& value : expression["values"].items())
        out.values.emplace_back(value.text().value_or(""));
    return out;
}

std::vector<Requirement> decode_requirements(const JsonCursor& expressions, bool with_order) {
    std::vector<Requirement> out;
    for (const JsonCursor& e : expressions.items())
        out.push_back(decode_requirement(e, with_order));
    return out;
}

}  // namespace

std::vector<Requirement> decode_node_requirements(const JsonCursor& expressions) {
    return decode_requirements(expressions, true);
}

std::vector<Requirement> decode_label_requirements(const JsonCursor& expressions) {
    return decode_requirements(expressions, false);
}

std::optional<LabelSelector> decode_label_selector(const JsonCursor& selector) {
    if (selector.is_absent()) return std::nullopt;
    return LabelSelector{
        .match_labels = selector["matchLabels"].labels(),
        .match_expressions = decode_label_requirements(selector["matchExpressions"])};
}

std::string decode_text(const JsonCursor& place) { return std::string(place.text().value_or("")); }

std::vector<std::string> decode_texts(const JsonCursor& list) {
    std::vector<std::string> out;
    for (const JsonCursor& item : list.items()) {
        if (const auto text = item.text()) out.emplace_back(*text);
    }
    return out;
}

}  // namespace capstan::kubernetes
