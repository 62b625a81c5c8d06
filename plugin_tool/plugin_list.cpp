#include <algorithm>
#include <filesystem>
#include <vector>

#include <boost/json.hpp>

#include "autoscaler/kinds.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "commands/single_plugin.hpp"
#include "commands/table.hpp"
#include "config/configuration.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "plugin_tool/plugin_report.hpp"

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// All .so files below `folder`, sorted; at most two levels deep, like the folders of shipped
/// plugins.
std::vector<fs::path> plugin_files(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code ignored;
    for (fs::recursive_directory_iterator
             it(folder, fs::directory_options::skip_permission_denied, ignored),
         end;
         !ignored && it != end; it.increment(ignored)) {
        if (it.depth() >= 1) it.disable_recursion_pending();
        if (it->path().extension() == ".so") out.push_back(it->path());
    }
    std::ranges::sort(out);
    return out;
}

/// What the file's note says, read without loading the file, or why the file is refused.
json::object entry_of(const fs::path& path) {
    const auto file =
        plugin_runtime::plugin_files::read_plugin(commands::given_file(path.string()), {});
    if (!file) return {{"file", path.string()}, {"error", file.error().message}};
    json::object out = describe_file(file->facts);
    out["used"] = std::ranges::any_of(file->facts.note.kinds, autoscaler::is_known_kind);
    return out;
}

void print_entries(const json::array& entries, std::ostream& out) {
    std::vector<std::vector<std::string>> rows{
        {"NAME", "PLUGIN", "VERSION", "ABI", "KINDS", "FILE"}};
    for (const json::value& v : entries) {
        const json::object& e = v.get_object();
        const std::string file(e.at("file").get_string());
        const std::string name = fs::path(file).stem().string();
        if (const json::value* error = e.if_contains("error")) {
            rows.push_back({name, "refused", "-", "-", std::string(error->get_string())});
            continue;
        }
        std::string kinds;
        for (const json::value& k : e.at("kinds").get_array()) {
            kinds += (kinds.empty() ? "" : ", ") + std::string(k.get_string());
        }
        if (!e.at("used").get_bool()) kinds += " (not used by this host)";
        rows.push_back({name, std::string(e.at("plugin").get_string()),
                        std::string(e.at("version").get_string()),
                        std::string(e.at("abi_required").get_string()), kinds, file});
    }
    commands::print_table(out, rows);
}

struct ListArguments {
    std::string config;
    commands::OutputFormat format{};
};

int list(const ListArguments& arguments, commands::Streams streams) {
    const auto& [config_file, format] = arguments;
    const config::ShippedPlugins shipped(config::shipped_plugins_root());
    std::vector<fs::path> folders{shipped.root()};
    if (!config_file.empty()) {
        const config::Loaded loaded = config::load_config(config_file, shipped);
        streams.err << loaded.diagnostics.text();
        if (!loaded.config) return commands::exit_usage;
        folders.insert(folders.end(), loaded.config->trust.search_paths.begin(),
                       loaded.config->trust.search_paths.end());
    }
    json::array entries;
    for (const fs::path& folder : folders) {
        for (const fs::path& file : plugin_files(folder)) entries.push_back(entry_of(file));
    }
    if (format != commands::OutputFormat::text) {
        commands::print_value(streams, format, entries);
    } else if (entries.empty()) {
        streams.err << "capstan: no plugins in " << shipped.root().string() << '\n';
    } else {
        print_entries(entries, streams.out);
    }
    return commands::exit_ok;
}

}  // namespace

void add_plugin_list(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] = commands::add_command(
        parent, action, "list", "List the plugin files that Capstan finds, without loading them",
        list);
    commands::add_option(command, "-c,--config", arguments.config, "FILE",
                         "Configuration file (TOML); adds its search paths");
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::plugin_tool
