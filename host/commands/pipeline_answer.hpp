/// One question put to a whole pipeline: the chain chooses, similar groups are found, the splitter
/// shares out.
#pragma once

#include <string>
#include <vector>

#include "commands/call_request.hpp"
#include "engine/scale_up/expander_question.hpp"
#include "runtime/instances/pass_runner.hpp"
#include "runtime/wiring.hpp"

namespace capstan::commands {

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

}  // namespace capstan::commands
