/// A recorded pass, ready to be decided again or asked about.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/offline/prepare.hpp"
#include "autoscaler/plugin_host.hpp"
#include "autoscaler/record/replay.hpp"

namespace capstan::commands {

struct RecordedPass {
    autoscaler::record::PassRecord record;
    std::unique_ptr<autoscaler::offline::PreparedSetup> prepared;
    /// Has a virtual clock, which is at the time of the pass.
    std::unique_ptr<autoscaler::PluginHost> host;
    autoscaler::PassInput input;
};

/// Reads the file and starts the plugins that decide. `config` is a file in place of the recorded
/// configuration; empty: the recorded one. `set` has KEY=VALUE that override the configuration.
/// Diagnostics of the configuration go to `err`. The error is `invalid_config` or
/// `invalid_argument` unless a plugin does not start.
Result<RecordedPass> open_recorded_pass(const std::string& file, const std::string& config,
                                        const std::vector<std::string>& set, std::ostream& err);

}  // namespace capstan::commands
