/// What `capstan plugin call` reads: one question for one decision hook, as JSON.
///
/// Only ids, `nodes` and template names are required. `allocatable` defaults to `capacity`, `free`
/// to `allocatable`, lists to empty ones. An option's group is shown without the min, max and
/// target that are not given: unknown is not zero. A splitter, which is promised them, sees an
/// empty group without a limit. A key that is not known is a problem, except inside a Pod. Whatever
/// is wrong goes to the place's problems; the answer is of use only when there are none.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/policies.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::commands {

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

ExpanderRequest decode_expander_request(const kubernetes::JsonPlace& root);
SimilarityRequest decode_similarity_request(const kubernetes::JsonPlace& root);
SplitterRequest decode_splitter_request(const kubernetes::JsonPlace& root);

}  // namespace capstan::commands
