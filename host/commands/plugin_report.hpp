/// What `plugin inspect` and `plugin list` say of a file, as JSON; text is made from the same
/// object.
#pragma once

#include <filesystem>
#include <ostream>

#include <boost/json/object.hpp>

#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::commands {

/// What the file says without being opened as a library: hash, note, versions, needed libraries.
boost::json::object describe_file(const runtime::PluginFacts& facts);

/// Opens the file as a library in a child process and adds what only running it tells: vendor,
/// classes with their settings, whether it unloads. "loads" says how that went: true, or a
/// sentence.
void describe_library(const runtime::PluginFile& file, boost::json::object& report);

/// The report for people.
void print_report(std::ostream& out, const boost::json::object& report);

}  // namespace capstan::commands
