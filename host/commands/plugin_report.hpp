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

}  // namespace capstan::commands
