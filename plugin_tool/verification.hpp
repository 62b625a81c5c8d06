/// The conformance suite run against a file, in confined child processes that may crash or hang.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/testing/conformance.hpp>
#include <capstan/testing/recording.hpp>

#include "commands/single_plugin.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"

namespace capstan::plugin_tool {

struct Verification {
    std::vector<testing::CheckResult> results;     ///< in the order they ran
    std::vector<std::string> missing_confinement;  ///< what this system could not confine
    bool has_passed() const;                       ///< no check failed; some may have been skipped
};

/// What the checks give to instances of the file's classes.
struct VerifyInput {
    const commands::SettingsFile& settings;    ///< of the named class, or of the file's first
    std::vector<testing::Exchange> recording;  ///< answers of their requests
    std::uint64_t seed = 1;
};

/// Runs every check. After a check crashes or hangs, the remaining checks run in a new child; all
/// children together have five minutes. The children can change no file and reach no network
/// (confinement.hpp). An empty `class_id` means all classes.
Verification verify(const plugin_runtime::plugin_files::PluginFile& file,
                    const std::string& class_id, const VerifyInput& input);

/// A line for each class with skipped checks: why they were skipped, and which option to give.
std::vector<std::string> what_to_give(const Verification& verification, const VerifyInput& input);

/// {"passed":23,"failed":1,"not_applicable":3,"skipped":0,"missing_confinement":[],
/// "checks":[{"class","check","verdict","because","microseconds"}]}
boost::json::object to_json(const Verification& verification);

}  // namespace capstan::plugin_tool
