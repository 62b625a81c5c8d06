/// The conformance suite run against a file, in confined child processes that may crash or hang.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/testing/conformance.hpp>

#include "commands/single_plugin.hpp"
#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::commands {

struct Verification {
    std::vector<testing::CheckResult> results;   ///< in the order they ran
    std::vector<std::string> confinement_lacks;  ///< what this system could not confine
    bool has_passed() const;
};

/// Runs every check, whatever becomes of the ones before: after a crash or a hang the rest goes on
/// in a new child, for five minutes altogether. The children can change no file and reach no
/// network (confinement.hpp). `settings` are those of the class `class_id`, or of the file's only
/// class when it is empty.
Verification verify(const runtime::PluginFile& file, const std::string& class_id,
                    const SettingsFile& settings, std::uint64_t seed);

/// {"passed":23,"failed":1,"not_applicable":3,"confinement_lacks":[],"checks":[{"class","check","verdict","because","microseconds"}]}
boost::json::object to_json(const Verification& verification);

}  // namespace capstan::commands
