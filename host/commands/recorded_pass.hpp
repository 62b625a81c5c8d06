/// Recordings of conversations over HTTP that a person gives to a command.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/testing/recording.hpp>

#include "runtime/plugin_host.hpp"
#include "runtime/record/replay.hpp"
#include "simulation/prepare.hpp"

namespace capstan::commands {

/// Of a file, or of all files of a folder in the order of their names; of an empty path none. The
/// error names the file and the line.
Result<std::vector<testing::Exchange>> read_recording(const std::filesystem::path& path);

// A recorded pass, ready to be decided again or asked about.

struct RecordedPass {
    runtime::record::PassRecord record;
    std::unique_ptr<simulation::PreparedSetup> prepared;
    /// Its virtual clock stands at the time of the pass.
    std::unique_ptr<runtime::PluginHost> host;
    runtime::PassInput input;
};

/// Starts the plugins that decide. `config`: in place of the recorded one; empty: that one. `set`:
/// KEY=VALUE in place of what it says. What is wrong with it goes to `err`. The error is
/// `invalid_config` or `invalid_argument` unless a plugin does not start.
Result<RecordedPass> open_recorded_pass(const std::string& file, const std::string& config,
                                        const std::vector<std::string>& set, std::ostream& err);

/// The exit code of such an error.
int exit_code_of(const Error& error);

}  // namespace capstan::commands
