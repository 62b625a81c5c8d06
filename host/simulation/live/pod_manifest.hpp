/// Pods of a scenario as the API writes them.
#pragma once

#include <boost/json/object.hpp>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>

#include "engine/snapshot/pod_spec.hpp"

namespace capstan::simulation {

/// {"key":"value"}
boost::json::object manifest_of(const Labels& labels);
/// {"matchLabels":{..},"matchExpressions":[..]}, each where it says something.
boost::json::object manifest_of(const LabelSelector& selector);
/// {"cpu":"500m"}
boost::json::object manifest_of(const Resources& amounts);
/// One container called "main"; `image` is what it seems to run.
boost::json::object manifest_of(const engine::PodSpec& spec, const std::string& image);

}  // namespace capstan::simulation
