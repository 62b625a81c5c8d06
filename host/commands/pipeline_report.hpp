/// `capstan pipeline`: a pipeline, and its answer to one question, as text and as JSON.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "autoscaler/plugin_set.hpp"
#include "autoscaler/wiring.hpp"
#include "commands/call_request.hpp"
#include "engine/scale_up/expander_chain.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::commands {

// One question put to a whole pipeline: the expander chain chooses an option, similarity checks
// find similar groups, and the splitter distributes the nodes.

struct Growth {
    NodeGroupId group;
    int from = 0;  ///< current target; 0 if the question does not give it
    int by = 0;
};

struct PipelineAnswer {
    engine::scale_up::Choice choice;
    /// One sentence for each group of the question that was compared.
    std::vector<std::string> similar;
    std::vector<Growth> increases;  ///< by group id; only groups that grow
    std::string split_error;        ///< empty: none
    /// "acme_score: filter is skipped: ...", see skipped_hook_text.
    std::vector<std::string> left_out;
};

/// Asks on a watched thread, as a pass does. `host` provides the services of the instances.
Result<PipelineAnswer> ask_pipeline(autoscaler::PluginHost& host, const autoscaler::Wiring& wiring,
                                    const ExpanderRequest& request, bool balance_across_prices);

void print_pipeline(std::ostream& out, const config::Config& config,
                    const autoscaler::PluginSet& plugins);
void print_answer(std::ostream& out, const ExpanderRequest& request, const PipelineAnswer& answer);

/// {"stages":[{"role","use","class","plugin","version","file","sha256"}]}
boost::json::object pipeline_json(const config::Config& config,
                                  const autoscaler::PluginSet& plugins);
/// {"chosen":"web-a","because":"...","stages":[...],"similar":[...],"increases":{"web-a":2},
/// "left_out":[]}, and "split_error" if the splitter failed.
boost::json::object answer_json(const ExpanderRequest& request, const PipelineAnswer& answer);

}  // namespace capstan::commands
