/// Encodes pods and nodes as JSON of the API, from the engine's objects.
#pragma once

#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>

#include "engine/snapshot/objects.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::kubernetes::objects {

/// "text"
boost::json::string encode_text(std::string_view text);
/// {"key":"value"}
boost::json::object encode_labels(const Labels& labels);
/// {"matchLabels":{..},"matchExpressions":[..]}, without the members that would be empty.
boost::json::object encode_selector(const LabelSelector& selector);
/// {"cpu":"500m"}
boost::json::object encode_amounts(const Resources& amounts);

/// A spec with one container called "main", without an image, that has all requests and ports.
/// decode_pod_spec gives a value equal to `spec` for it.
boost::json::object encode_pod_spec(const engine::snapshot::PodSpec& spec);

// Nodes and pods without apiVersion and kind, as in lists. Decoding gives an equal object, except
// for times that the API cannot write (see timestamps.hpp). The split into containers and their
// images are lost, because the engine's objects do not have them.
boost::json::object encode_node(const engine::snapshot::NodeObject& node);
boost::json::object encode_pod(const engine::snapshot::PodObject& pod);

}  // namespace capstan::kubernetes::objects
