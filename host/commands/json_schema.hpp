/// The configuration as a JSON Schema, for editors.
#pragma once

#include <boost/json/object.hpp>

#include "autoscaler/plugin_set.hpp"

namespace capstan::commands {

/// Made from the tables of keys that the configuration is parsed with. Settings of an instance in
/// `plugins` follow the schema of its class; settings of other instances may be any table.
boost::json::object configuration_schema(const autoscaler::PluginSet& plugins);

}  // namespace capstan::commands
