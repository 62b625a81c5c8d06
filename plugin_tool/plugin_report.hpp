/// What `plugin inspect` and `plugin list` report about a file, as JSON. The text is made from the
/// JSON object.
#pragma once

#include <filesystem>
#include <ostream>

#include <boost/json/object.hpp>

#include "plugin_runtime/plugin_files/plugin_file.hpp"
#include "plugin_runtime/services/drafts.hpp"

namespace capstan::plugin_tool {

/// What can be read without opening the file as a library: owner and mode, hash, note, versions,
/// symbols, needed libraries. The key "drafts" lists the file's kinds that are in `drafts`.
boost::json::object describe_file(
    const plugin_runtime::plugin_files::PluginFacts& facts,
    const plugin_runtime::services::DraftIds& drafts = plugin_runtime::services::draft_ids());

/// Prints the report as text. Answers of the file's own code (`describe_library`) follow in a
/// section of their own; if that code was not run, the report says what is not known.
void print_report(std::ostream& out, const boost::json::object& report);

// What the file's own code reports, run in a confined child process.

/// Opens the file as a library in a child process that can change nothing and connect to nothing
/// (see confinement.hpp), and adds to `report` what only running the file's code can tell:
/// "vendor", "classes" with their settings, "loads" and "unloads", which are true or a sentence.
/// The code cannot change other keys of the report. "missing_confinement" lists what this system
/// could not confine.
void describe_library(const plugin_runtime::plugin_files::PluginFile& file,
                      boost::json::object& report);

/// Whether `line`, sent by the child, has only the keys that `describe_library` adds, with values
/// of the right types. Needed because the untrusted code can write any line.
bool is_valid_report(const boost::json::value& line);

}  // namespace capstan::plugin_tool
