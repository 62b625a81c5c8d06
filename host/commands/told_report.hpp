/// What a plugin file's own code says of it, asked in a confined child process.
#pragma once

#include <boost/json/object.hpp>

#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::commands {

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
