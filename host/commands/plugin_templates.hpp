/// The projects that `capstan plugin new` can write, embedded at build time; templates/list.txt
/// names them.
#pragma once

#include <string_view>
#include <vector>

namespace capstan::commands {

struct TemplateFile {
    std::string_view path;
    std::string_view text;
};

/// A project that builds as it stands, under the name `name`.
struct PluginTemplate {
    std::string_view kind;      ///< "expander"
    std::string_view language;  ///< "cpp", "c" or "rust"
    std::string_view variant;   ///< "http", where the kind has several in that language
    std::string_view name;      ///< in snake_case
    std::vector<TemplateFile> files;
};

const std::vector<PluginTemplate>& plugin_templates();

}  // namespace capstan::commands
