/// Which objects a request is about, by their labels and by some of their fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// All of them must hold.
using LabelQuery = std::vector<Requirement>;

/// "app=web,tier in (a,b),!canary,rank>3". 400: none.
Answer<LabelQuery> parse_label_query(std::string_view text);
/// matchLabels and matchExpressions; what cannot be read among these holds for nothing.
LabelQuery label_query_of(const json::object& selector);
/// The same as text, in the order of the keys.
std::string label_query_text(const json::object& selector);
bool has_labels(const json::object& object, const LabelQuery& query);

struct FieldCondition {
    std::string path{}, value{};
    bool is_equal = true;
};

/// "spec.nodeName=n,status.phase!=Failed". 400: none, or a field that cannot be asked for.
Answer<std::vector<FieldCondition>> parse_field_query(const ResourceKind& kind,
                                                      std::string_view text);
bool has_fields(const json::object& object, const std::vector<FieldCondition>& query);

}  // namespace capstan::simulation::api_server
