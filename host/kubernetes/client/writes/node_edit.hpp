/// What a NodeChange makes of a Node object.
#pragma once

#include <optional>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "engine/actions.hpp"

namespace capstan::kubernetes {

/// A merge patch that changes `node` as asked, and only if it still is the one that was read: it
/// carries the resourceVersion. Taints are one atomic list to the API, so the patch has all of
/// them, others' with all their fields. Nothing: the node is that way already.
///     set ToBeDeleted=1700000000:NoSchedule  ->  {"metadata":{"resourceVersion":"7"},"spec":
///     {"taints":[what was there..., {"key":"ToBeDeleted",...}]}}
/// `now` is when NoExecute taints say that they were added; one that stays keeps its own time.
std::optional<boost::json::object> find_node_patch(const boost::json::object& node,
                                                   const engine::NodeChange& change, Time now);

/// `object` as a merge patch (RFC 7386) leaves it.
void apply_merge_patch(boost::json::object& object, const boost::json::object& patch);

}  // namespace capstan::kubernetes
