#include "simulator/api_server/label_query.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <capstan/selector_text.hpp>

namespace capstan::simulator::api_server {
namespace {

/// Kubernetes refuses an expression with an operator that label selectors do not have; here such an
/// expression matches nothing.
Requirement read_expression(const json::object& written) {
    Requirement out{std::string(text_at(written, "key")), Operator::in, {}};
    const auto op = find_operator(text_at(written, "operator"));
    if (!op || *op == Operator::gt || *op == Operator::lt) return out;
    out.op = *op;
    for (const json::value& value : list_at(written, "values"))
        if (value.is_string()) out.values.emplace_back(view(value.get_string()));
    return out;
}

}  // namespace

Answer<LabelQuery> parse_label_query(std::string_view text) {
    Result<std::vector<Requirement>> read = parse_requirements(text);
    if (!read) return fail(bad_request("unable to parse requirement: " + read.error().message));
    return std::move(*read);
}

LabelQuery label_query_of(const json::object& selector) {
    LabelQuery out;
    if (const json::object* labels = find_object(selector, "matchLabels"))
        for (const auto& [key, value] : *labels)
            if (value.is_string())
                out.push_back({key, Operator::in, {std::string(view(value.get_string()))}});
    for (const json::value& item : list_at(selector, "matchExpressions"))
        if (const json::object* expression = item.if_object())
            out.push_back(read_expression(*expression));
    return out;
}

std::string label_query_text(const json::object& selector) {
    return format_selector({.match_expressions = label_query_of(selector)});
}

bool has_labels(const json::object& object, const LabelQuery& query) {
    const json::object* labels = find_object(object, "metadata.labels");
    return std::ranges::all_of(query, [&](const Requirement& requirement) {
        const json::value* label =
            labels == nullptr ? nullptr : labels->if_contains(requirement.key);
        return matches_value(requirement, label == nullptr || !label->is_string()
                                              ? std::nullopt
                                              : std::optional(view(label->get_string())));
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

/// The text of a field that is absent.
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

/// Reads up to the first of `stops` that no backslash precedes. Returns the text before it, without
/// the backslashes, and its position.
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
        const bool is_supported = condition.path == "metadata.name" ||
                                  (kind.namespaced && condition.path == "metadata.namespace") ||
                                  paths.contains(condition.path);
        if (!is_supported) return fail(bad_request("field label not supported: " + condition.path));
        out.push_back(std::move(condition));
    }
    return out;
}

bool has_fields(const json::object& object, const std::vector<FieldCondition>& query) {
    return std::ranges::all_of(query, [&](const FieldCondition& condition) {
        return (field_text(object, condition.path) == condition.value) == condition.is_equal;
    });
}

}  // namespace capstan::simulator::api_server
