/// What `capstan plugin call` reads: one question for one decision hook, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>

#include "engine/policies.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::commands {

/// {"id":"web","min":0,"max":10,"target":1,"tags":{}}; only the id is required.
NodeGroup decode_group(const kubernetes::JsonCursor& place);

/// {"name":"web","labels":{},"annotations":{},"taints":[{"key","value","effect"}],
/// "capacity":{"cpu":"4"},"allocatable":{},"free":{}}, and machine_type, zone, arch and os, which
/// default to what the well-known labels say. Amounts of `capacity` and `allocatable` are not below
/// zero.
NodeTemplate decode_template(const kubernetes::JsonCursor& place);

/// {"cpu":"4"}: an amount of each resource. Only `free` may be negative, since DaemonSets may
/// request more than is allocatable.
Resources decode_resources(const kubernetes::JsonCursor& place, bool may_be_negative = false);
/// [{"key","value","effect"}]
std::vector<Taint> decode_taints(const kubernetes::JsonCursor& place);
/// A price per hour, 0 or more. Absent: no price is given.
std::optional<double> decode_price(const kubernetes::JsonCursor& place);

// Rules of all requests:
//
// Required are the id of a group, the `name` of a template, the `key` and `effect` of a taint, the
// `group` and `nodes` of an option, the `nodes` of a splitter's request, and `a` and `b`.
// `allocatable` defaults to `capacity`, `free` to `allocatable`, lists to empty ones. An expander
// sees a group without the min, max and target that the request does not give: unknown is not zero.
// A splitter is promised these numbers, so for a splitter they default to those of an empty group
// without a limit. An unknown key is a problem, except inside a Pod. Problems are added to those of
// the cursor; the decoded request is of use only if there are none.

/// {"seed":1,"cluster_nodes":3,"options":[OPTION...],"pods":[POD...]}, where OPTION is
/// {"group":GROUP,"nodes":2,"template":TEMPLATE,"pods":[0,1],"similar":["g2"],"price_per_hour":0.1}
/// and the option's `pods` are indices into the request's `pods`.
struct ExpanderRequest {
    engine::ScaleUpQuestion question;  ///< options by group id, pods as equivalence groups
    /// For each option of the question, its index in the request.
    std::vector<std::uint32_t> places;
    std::uint64_t seed = 0;
};

/// {"a":TEMPLATE,"b":TEMPLATE}
struct SimilarityRequest {
    NodeTemplate a, b;
};

/// {"nodes":4,"groups":[GROUP...]}
struct SplitterRequest {
    int nodes = 0;
    std::vector<NodeGroup> groups;      ///< by id
    std::vector<std::uint32_t> places;  ///< for each of them its index in the request
};

ExpanderRequest decode_expander_request(const kubernetes::JsonCursor& root);
SimilarityRequest decode_similarity_request(const kubernetes::JsonCursor& root);
SplitterRequest decode_splitter_request(const kubernetes::JsonCursor& root);

}  // namespace capstan::commands
