/// What `plugin inspect` and `plugin list` say of a file, as JSON; text is made from the same
/// object.
#pragma once

#include <filesystem>
#include <ostream>

#include <boost/json/object.hpp>

#include "runtime/plugin_files/plugin_file.hpp"
#include "runtime/services/drafts.hpp"

namespace capstan::commands {

/// What the file says without being opened as a library: owner and mode, hash, note, versions,
/// symbols, needed libraries. Of its kinds, those in `drafts` are marked.
boost::json::object describe_file(
    const runtime::plugin_files::PluginFacts& facts,
    const runtime::services::DraftIds& drafts = runtime::services::draft_ids());

/// The report for people. What the file's own code has said (told_report.hpp) stands apart from
/// what was read; where that was not asked, the report says what is not known.
void print_report(std::ostream& out, const boost::json::object& report);

// What a plugin file's own code says of it, asked in a confined child process.

/// Opens the file as a library in a child process that can change nothing and connect to nothing
/// (see confinement.hpp), and adds to `report` what only running it tells: "vendor", "classes" with
/// their settings, "loads" and "unloads", which are true or a sentence. Other keys of the report
/// stay as they are, whatever the code says. "missing_confinement" has what this system could not
/// confine.
void describe_library(const runtime::plugin_files::PluginFile& file, boost::json::object& report);

/// Whether `told`, a line of the child, has the shape of such an answer. The code that runs there
/// can write what it likes.
bool is_told_report(const boost::json::value& told);

}  // namespace capstan::commands
