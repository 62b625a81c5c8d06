/// A pipeline and its answer, for people and for machines.
#pragma once

#include <ostream>

#include <boost/json/object.hpp>

#include "commands/pipeline_answer.hpp"
#include "runtime/plugin_set.hpp"

namespace capstan::commands {

void print_pipeline(std::ostream& out, const runtime::config::Config& config,
                    const runtime::PluginSet& plugins);
void print_answer(std::ostream& out, const ExpanderRequest& request, const PipelineAnswer& answer);

/// {"stages":[{"role","use","plugin","version","class","file","on_error","on_empty"}]}
boost::json::object pipeline_json(const runtime::config::Config& config,
                                  const runtime::PluginSet& plugins);
/// {"chosen":"web-a","because":"...","stages":[...],"similar":[...],"increases":{"web-a":2},"left_out":[]}
boost::json::object answer_json(const ExpanderRequest& request, const PipelineAnswer& answer);

}  // namespace capstan::commands
