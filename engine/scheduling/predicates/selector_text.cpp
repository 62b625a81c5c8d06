#include "engine/scheduling/predicates/selector_text.hpp"

#include <algorithm>
#include <cstddef>

#include <capstan/sentence.hpp>

namespace capstan::engine::scheduling {
namespace {

constexpr std::size_t most = 4;  // more are too many for a sentence

std::string list(const std::vector<std::string>& values) {
    return "[" + listed(values, [](const std::string& value) { return value; }, most) + "]";
}

std::string compared(const Requirement& r, const char* sign) {
    return r.key + sign + (r.values.size() == 1 ? r.values.front() : list(r.values));
}

}  // namespace

std::string describe(const Requirement& r) {
    switch (r.op) {
        case Operator::in: return r.key + " in " + list(r.values);
        case Operator::not_in: return r.key + " not in " + list(r.values);
        case Operator::exists: return r.key + " exists";
        case Operator::does_not_exist: return r.key + " does not exist";
        case Operator::gt: return compared(r, " > ");
        case Operator::lt: return compared(r, " < ");
    }
    return r.key;
}

std::string describe(const NodeSelectorTerm& term) {
    if (term.labels.empty() && term.fields.empty()) return "nothing";
    std::string out;
    for (const std::vector<Requirement>* part : {&term.labels, &term.fields}) {
        for (const Requirement& r : *part) out += (out.empty() ? "" : " and ") + describe(r);
    }
    return out;
}

std::string describe(const std::vector<NodeSelectorTerm>& any_of) {
    if (any_of.empty()) return "nothing";
    std::string out;
    for (std::size_t i = 0; i < std::min(any_of.size(), most); ++i) {
        out += (i ? ", or " : "") + describe(any_of[i]);
    }
    if (any_of.size() > most) {
        out += ", or " + std::to_string(any_of.size() - most) + " more";
    }
    return out;
}

}  // namespace capstan::engine::scheduling
