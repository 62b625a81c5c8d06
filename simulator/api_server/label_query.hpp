/// Label selectors and field selectors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// A label selector: an object matches if it meets all requirements.
using LabelQuery = std::vector<Requirement>;

/// "app=web,tier in (a,b),!canary,rank>3". 400: the text is not a selector.
Answer<LabelQuery> parse_label_query(std::string_view text);
/// The requirements of matchLabels and matchExpressions. An expression that is malformed matches no
/// object.
LabelQuery label_query_of(const json::object& selector);
/// The text of a selector of matchLabels and matchExpressions, in the order of the keys.
std::string label_query_text(const json::object& selector);
bool has_labels(const json::object& object, const LabelQuery& query);

struct FieldCondition {
    std::string path{}, value{};
    bool is_equal = true;
};

/// "spec.nodeName=n,status.phase!=Failed". 400: the text is not a field selector, or the kind does
/// not support one of its fields.
Answer<std::vector<FieldCondition>> parse_field_query(const ResourceKind& kind,
                                                      std::string_view text);
bool has_fields(const json::object& object, const std::vector<FieldCondition>& query);

}  // namespace capstan::simulator::api_server
