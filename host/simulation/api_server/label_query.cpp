#include "simulation/api_server/label_query.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <capstan/ascii.hpp>

#include "io/http_syntax.hpp"

namespace capstan::simulation::api_server {
namespace {

/// At commas that stand outside of parentheses.
std::vector<std::string_view> conditions_in(std::string_view text) {
    std::vector<std::string_view> out;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '(') ++depth;
        if (i < text.size() && text[i] == ')') --depth;
        if (i != text.size() && (text[i] != ',' || depth > 0)) continue;
        out.push_back(io::trimmed(text.substr(start, i - start)));
        start = i + 1;
    }
    return out;
}

bool is_label_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return is_ascii_alnum(c) || c == '-' || c == '_' || c == '.' || c == '/';
    });
}

StatusError unreadable_requirement(std::string_view text) {
    return bad_request("unable to parse requirement: \"" + std::string(text) + "\"");
}

/// "a in (b,c)"; nothing: not of that form.
std::optional<LabelCondition> parse_set_requirement(std::string_view text) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
    const std::string_view front = io::trimmed(text.substr(0, open));
    const std::size_t blank = front.find_last_of(" \t\r\n");
    if (blank == std::string_view::npos) return std::nullopt;
    const std::string_view word = front.substr(blank + 1);
    if (word != "in" && word != "notin") return std::nullopt;
    LabelCondition out{std::string(io::trimmed(front.substr(0, blank))),
                       word == "in" ? LabelOperator::in : LabelOperator::not_in,
                       {}};
    for (const std::string_view value :
         conditions_in(text.substr(open + 1, text.size() - open - 2)))
        out.values.emplace_back(value);
    return out;
}

LabelCondition plain_condition(std::string_view text) {
    const std::size_t at = text.find_first_of("=<>!", 1);
    if (at == std::string_view::npos) {
        if (text.starts_with('!'))
            return {std::string(io::trimmed(text.substr(1))), LabelOperator::absent, {}};
        return {std::string(text), LabelOperator::exists, {}};
    }
    const std::string key(io::trimmed(text.substr(0, at)));
    const bool is_long = text.substr(at).starts_with("==") || text.substr(at).starts_with("!=");
    const std::string value(io::trimmed(text.substr(at + (is_long ? 2 : 1))));
    switch (text[at]) {
        case '<': return {key, LabelOperator::less, {value}};
        case '>': return {key, LabelOperator::greater, {value}};
        case '!': return {key, LabelOperator::not_in, {value}};
        default: return {key, LabelOperator::in, {value}};
    }
}

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

bool is_beyond(std::string_view has, const LabelCondition& condition) {
    const auto ours = number(has);
    const auto theirs = number(condition.values.empty() ? "" : condition.values.front());
    if (!ours || !theirs) return false;
    return condition.op == LabelOperator::greater ? *ours > *theirs : *ours < *theirs;
}

bool holds(const LabelCondition& condition, const json::value* label) {
    const bool is_there = label != nullptr && label->is_string();
    const auto is_named = [&] {
        return std::ranges::find(condition.values, view(label->get_string())) !=
               condition.values.end();
    };
    switch (condition.op) {
        case LabelOperator::exists: return is_there;
        case LabelOperator::absent: return !is_there;
        case LabelOperator::in: return is_there && is_named();
        case LabelOperator::not_in: return !is_there || !is_named();
        case LabelOperator::greater:
        case LabelOperator::less:
            return is_there && is_beyond(view(label->get_string()), condition);
    }
    return false;
}

LabelOperator operator_of(std::string_view written) {
    if (written == "Exists") return LabelOperator::exists;
    if (written == "DoesNotExist") return LabelOperator::absent;
    return written == "NotIn" ? LabelOperator::not_in : LabelOperator::in;
}

std::string joined(const std::vector<std::string>& values) {
    std::string out;
    for (const std::string& value : values) out += (out.empty() ? "" : ",") + value;
    return out;
}

std::string condition_text(const LabelCondition& condition) {
    switch (condition.op) {
        case LabelOperator::exists: return condition.key;
        case LabelOperator::absent: return "!" + condition.key;
        case LabelOperator::in:
            if (condition.values.size() == 1) return condition.key + "=" + condition.values.front();
            return condition.key + " in (" + joined(condition.values) + ")";
        default: return condition.key + " notin (" + joined(condition.values) + ")";
    }
}

}  // namespace

Answer<LabelQuery> parse_label_query(std::string_view text) {
    LabelQuery out;
    if (io::trimmed(text).empty()) return out;
    for (const std::string_view part : conditions_in(text)) {
        if (part.empty()) return fail(unreadable_requirement(text));
        const auto in_set = parse_set_requirement(part);
        out.push_back(in_set ? *in_set : plain_condition(part));
        const LabelCondition& last = out.back();
        const bool good = !last.key.empty() && is_label_text(last.key) &&
                          std::ranges::all_of(last.values, is_label_text);
        if (!good) return fail(unreadable_requirement(part));
    }
    return out;
}

LabelQuery label_query_of(const json::object& selector) {
    LabelQuery out;
    if (const json::object* labels = find_object(selector, "matchLabels"))
        for (const auto& [key, value] : *labels)
            if (value.is_string())
                out.push_back({key, LabelOperator::in, {std::string(view(value.get_string()))}});
    if (const json::array* list = find_array(selector, "matchExpressions"))
        for (const json::value& item : *list) {
            const json::object* expression = item.if_object();
            if (expression == nullptr) continue;
            LabelCondition condition{std::string(text_at(*expression, "key")),
                                     operator_of(text_at(*expression, "operator")),
                                     {}};
            if (const json::array* values = find_array(*expression, "values"))
                for (const json::value& value : *values)
                    if (value.is_string()) condition.values.emplace_back(view(value.get_string()));
            out.push_back(std::move(condition));
        }
    return out;
}

std::string label_query_text(const json::object& selector) {
    LabelQuery query = label_query_of(selector);
    std::ranges::sort(query, {}, &LabelCondition::key);
    std::string out;
    for (const LabelCondition& condition : query)
        out += (out.empty() ? "" : ",") + condition_text(condition);
    return out;
}

bool has_labels(const json::object& object, const LabelQuery& query) {
    const json::object* labels = find_object(object, "metadata.labels");
    return std::ranges::all_of(query, [&](const LabelCondition& condition) {
        return holds(condition, labels == nullptr ? nullptr : labels->if_contains(condition.key));
    });
}

namespace {

using Paths = std::set<std::string, std::less<>>;

const Paths& paths_of(const ResourceKind& kind) {
    static const std::map<std::string, Paths, std::less<>> all = {
        {"pods",
         {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
          "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}},
        {"nodes", {"spec.unschedulable"}},
        {"namespaces", {"status.phase"}},
        {"replicasets.apps", {"status.replicas"}},
        {"replicationcontrollers", {"status.replicas"}},
        {"jobs.batch", {"status.successful"}},
        {"secrets", {"type"}},
        {"events",
         {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
          "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
          "involvedObject.fieldPath", "reason", "source", "type", "reportingComponent"}},
    };
    static const Paths none;
    const auto found = all.find(kind.resource());
    return found == all.end() ? none : found->second;
}

/// What stands where nothing is written.
std::string_view absent_text(std::string_view path) {
    return path == "spec.unschedulable" || path == "spec.hostNetwork" ? "false" : "";
}

std::string field_text(const json::object& object, std::string_view path) {
    if (path == "source") path = "source.component";
    const json::value* found = find_value(object, path);
    if (found == nullptr) return std::string(absent_text(path));
    if (found->is_string()) return std::string(view(found->get_string()));
    if (found->is_bool()) return found->get_bool() ? "true" : "false";
    return found->is_int64() ? std::to_string(found->get_int64()) : "";
}

/// At characters of `stops` that no backslash precedes; the text before, backslashes taken out.
std::pair<std::string, std::size_t> read_until(std::string_view text, std::size_t from,
                                               std::string_view stops) {
    std::string out;
    for (; from < text.size(); ++from) {
        if (text[from] == '\\' && from + 1 < text.size()) {
            out += text[++from];
        } else if (stops.find(text[from]) != std::string_view::npos) {
            break;
        } else {
            out += text[from];
        }
    }
    return {out, from};
}

}  // namespace

Answer<std::vector<FieldCondition>> parse_field_query(const ResourceKind& kind,
                                                      std::string_view text) {
    std::vector<FieldCondition> out;
    const Paths& paths = paths_of(kind);
    for (std::size_t at = 0; at < text.size(); ++at) {
        FieldCondition condition;
        std::tie(condition.path, at) = read_until(text, at, "=!,");
        const std::string_view rest = text.substr(at);
        condition.is_equal = !rest.starts_with("!=");
        if (rest.empty() || (condition.is_equal && !rest.starts_with('=')))
            return fail(bad_request("invalid selector: '" + std::string(text) + "'"));
        at += !condition.is_equal || rest.starts_with("==") ? 2 : 1;
        std::tie(condition.value, at) = read_until(text, at, ",");
        const bool is_known = condition.path == "metadata.name" ||
                              (kind.namespaced && condition.path == "metadata.namespace") ||
                              paths.contains(condition.path);
        if (!is_known) return fail(bad_request("field label not supported: " + condition.path));
        out.push_back(std::move(condition));
    }
    return out;
}

bool has_fields(const json::object& object, const std::vector<FieldCondition>& query) {
    return std::ranges::all_of(query, [&](const FieldCondition& condition) {
        return (field_text(object, condition.path) == condition.value) == condition.is_equal;
    });
}

}  // namespace capstan::simulation::api_server
