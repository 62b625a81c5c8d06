/// Policies in place of an instance that has not started. Each call fails with that error, so the
/// `on_error` of the configuration applies.
#pragma once

#include <memory>

#include <capstan/ids.hpp>

#include "engine/policies.hpp"

namespace capstan::autoscaler::policies {

std::unique_ptr<engine::Expander> make_absent_expander(const PluginInstanceId& instance);
/// Never decides and has no buckets.
std::unique_ptr<engine::SimilarityCheck> make_absent_similarity(const PluginInstanceId& instance);
std::unique_ptr<engine::Splitter> make_absent_splitter(const PluginInstanceId& instance);
std::unique_ptr<engine::GroupSource> make_absent_group_source(const PluginInstanceId& instance);

}  // namespace capstan::autoscaler::policies
