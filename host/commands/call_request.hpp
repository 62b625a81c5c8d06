/// The nouns of a request: GROUP and TEMPLATE.
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

/// What capacity and allocatable state is not below zero.
/// {"name":"web","labels":{},"annotations":{},"taints":[{"key","value","effect"}],"capacity":{"cpu":"4"},
/// "allocatable":{},"free":{}}, and machine_type, zone, arch and os, which default to what the
/// well-known labels say.
NodeTemplate decode_template(const kubernetes::JsonCursor& place);

/// {"cpu":"4"}: what there is of each resource. DaemonSets may want more than there is, so what is
/// free may be below zero.
Resources decode_resources(const kubernetes::JsonCursor& place, bool may_be_negative = false);
/// [{"key","value","effect"}]
std::vector<Taint> decode_taints(const kubernetes::JsonCursor& place);
/// Per hour, 0 or more; nothing where none is given.
std::optional<double> decode_price(const kubernetes::JsonCursor& place);

// What `capstan plugin call` reads: one question for one decision hook, as JSON.
//
// Only ids, `nodes` and template names are required. `allocatable` defaults to `capacity`, `free`
// to `allocatable`, lists to empty ones. An option's group is shown without the min, max and
// target that are not given: unknown is not zero. A splitter, which is promised them, sees an
// empty group without a limit. A key that is not known is a problem, except inside a Pod. Whatever
// is wrong goes to the place's problems; the answer is of use only when there are none.

/// {"seed":1,"cluster_nodes":3,"options":[OPTION...],"pods":[POD...]}, where OPTION is
/// {"group":GROUP,"nodes":2,"template":TEMPLATE,"pods":[0,1],"similar":["g2"],"price_per_hour":0.1}
/// and its `pods` are indices into the request's.
struct ExpanderRequest {
    engine::ScaleUpQuestion question;  ///< options by group id, pods put together as classes
    std::vector<std::uint32_t>
        places;  ///< for each option of the question its index in the request
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
