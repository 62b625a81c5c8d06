/// The configuration as a JSON Schema, for editors.
#pragma once

#include <boost/json/object.hpp>

#include "runtime/plugin_set.hpp"

namespace capstan::commands {

/// Of the tables that the configuration is read by. The settings of these instances are those of
/// their classes, of others any table.
boost::json::object configuration_schema(const runtime::PluginSet& plugins);

}  // namespace capstan::commands
