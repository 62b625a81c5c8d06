/// The conformance suite run against a file, in confined child processes that may crash or hang.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/testing/conformance.hpp>
#include <capstan/testing/recording.hpp>

#include "commands/single_plugin.hpp"
#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::commands {

struct Verification {
    std::vector<testing::CheckResult> results;     ///< in the order they ran
    std::vector<std::string> missing_confinement;  ///< what this system could not confine
    bool has_passed() const;                       ///< nothing failed; checks may have been skipped
};

/// What the instances of the file are given.
struct VerifyInput {
    const SettingsFile& settings;  ///< of the class that is named, or of the file's only one
    std::vector<testing::Exchange> recording;  ///< what their requests are answered with
    std::uint64_t seed = 1;
};

/// Runs every check, whatever becomes of the ones before: after a crash or a hang the rest goes on
/// in a new child, for five minutes altogether. The children can change no file and reach no
/// network (confinement.hpp). `class_id` is empty: all classes.
Verification verify(const runtime::plugin_files::PluginFile& file, const std::string& class_id,
                    const VerifyInput& input);

/// A line for each class of which something was not looked at: why, and what to give.
std::vector<std::string> what_to_give(const Verification& verification, const VerifyInput& input);

/// {"passed":23,"failed":1,"not_applicable":3,"skipped":0,"missing_confinement":[],"checks":[{"class","check","verdict","because","microseconds"}]}
boost::json::object to_json(const Verification& verification);

}  // namespace capstan::commands
