/// Pod specs as the API writes them, from what is kept of them.
#pragma once

#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>

#include "engine/snapshot/objects.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::kubernetes {

/// "text"
boost::json::string encode_text(std::string_view text);
/// {"key":"value"}
boost::json::object encode_labels(const Labels& labels);
/// {"matchLabels":{..},"matchExpressions":[..]}, each where it says something.
boost::json::object encode_selector(const LabelSelector& selector);
/// {"cpu":"500m"}
boost::json::object encode_amounts(const Resources& amounts);

/// One container that asks for everything, called "main", of no image. What decode_pod_spec reads
/// from it is equal to `spec`.
boost::json::object encode_pod_spec(const engine::snapshot::PodSpec& spec);

// Nodes and pods as the API writes them, from what is kept of them.

// Without apiVersion and kind, as in lists. What is read from it is equal to what it was written
// from, but for containers, whose images and split are not kept, and for moments that the API
// cannot write.
boost::json::object encode_node(const engine::snapshot::NodeObject& node);
boost::json::object encode_pod(const engine::snapshot::PodObject& pod);

}  // namespace capstan::kubernetes
