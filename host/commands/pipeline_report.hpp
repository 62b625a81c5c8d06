/// A pipeline and its answer, for people and for machines.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "commands/call_request.hpp"
#include "engine/scale_up/expander_request.hpp"
#include "runtime/instances/pass_runner.hpp"
#include "runtime/plugin_set.hpp"
#include "runtime/wiring.hpp"

namespace capstan::commands {

// One question put to a whole pipeline: the chain chooses, similar groups are found, the splitter
// shares out.

struct Growth {
    NodeGroupId group;
    int from = 0;  ///< target now; 0 when the question does not say
    int by = 0;
};

struct PipelineAnswer {
    engine::scale_up::Choice choice;
    std::vector<std::string>
        similar;  ///< one sentence for each group of the question that was compared
    std::vector<Growth> increases;      ///< by group id; only what grows
    std::string split_error;            ///< empty: none
    std::vector<std::string> left_out;  ///< "acme_score: filter is left out: ...", see miss_text
};

/// Asks on a watched thread, as a pass does; services through `host`.
Result<PipelineAnswer> ask_pipeline(runtime::PluginHost& host, const runtime::Wiring& wiring,
                                    const ExpanderRequest& request, bool balance_across_prices);

void print_pipeline(std::ostream& out, const runtime::config::Config& config,
                    const runtime::PluginSet& plugins);
void print_answer(std::ostream& out, const ExpanderRequest& request, const PipelineAnswer& answer);

/// {"stages":[{"role","use","plugin","version","class","file","on_error","on_empty"}]}
boost::json::object pipeline_json(const runtime::config::Config& config,
                                  const runtime::PluginSet& plugins);
/// {"chosen":"web-a","because":"...","stages":[...],"similar":[...],"increases":{"web-a":2},"left_out":[]}
boost::json::object answer_json(const ExpanderRequest& request, const PipelineAnswer& answer);

}  // namespace capstan::commands
