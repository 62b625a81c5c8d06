/// Nodes and pods as the API writes them, from what is kept of them.
#pragma once

#include <boost/json/object.hpp>

#include "engine/snapshot/objects.hpp"

namespace capstan::kubernetes {

// Without apiVersion and kind, as in lists. What is read from it is equal to what it was written
// from, but for containers, whose images and split nobody keeps, and for moments that the API
// cannot write.
boost::json::object encode_node(const engine::NodeObject& node);
boost::json::object encode_pod(const engine::PodObject& pod);

}  // namespace capstan::kubernetes
