/// Whether the plugins of a configuration take their settings: each instance is created once.
#pragma once

#include "autoscaler/plugin_set.hpp"

namespace capstan::commands {

/// Creates each instance of `plugins`, does not start it, and destroys it again. A `create` that
/// fails, crashes or does not return within ten seconds is an error at the place of the instance's
/// table. The plugins run in a child process, which has the rights of this one. The caller must
/// have no other thread.
void check_creation(const config::Config& config, const autoscaler::PluginSet& plugins,
                    config::Diagnostics& diagnostics);

}  // namespace capstan::commands
