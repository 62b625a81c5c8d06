/// Help texts of options that several commands have.
#pragma once

namespace capstan::commands {

inline constexpr const char* config_help = "Configuration file (TOML)";
inline constexpr const char* scenario_config_help =
    "Configuration file (TOML); replaces the configuration of the scenario";
inline constexpr const char* set_help =
    "Override a setting, such as scale_up.backoff=until_joined; may be repeated";
inline constexpr const char* record_help =
    "Write each pass to a file in this folder, for `capstan replay`";
inline constexpr const char* settings_help =
    "TOML file with the settings of the plugin instance at its top level";
inline constexpr const char* http_help =
    "Recording of an API, or a folder of recordings, with the responses to HTTP requests";

}  // namespace capstan::commands
