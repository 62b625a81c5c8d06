#include "commands/creation_check.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <boost/json/parse.hpp>

#include "autoscaler/plugin_host.hpp"
#include "commands/child_process.hpp"
#include "config/text.hpp"
#include "io/printable.hpp"

namespace capstan::commands {
namespace {

constexpr std::chrono::seconds patience{10};
constexpr std::size_t message_max = 4096;

/// The message of a line of the log in JSON. Empty: it is no such line.
std::string message_of(std::string_view line) {
    boost::system::error_code error;
    const boost::json::value parsed = boost::json::parse(line, error);
    const boost::json::object* const object = error ? nullptr : parsed.if_object();
    const boost::json::value* const message =
        object == nullptr ? nullptr : object->if_contains("message");
    const boost::json::string* const text = message == nullptr ? nullptr : message->if_string();
    return text == nullptr ? "" : std::string(*text);
}

/// The setting that a message of the plugin is about: it begins with "settings.region: ". NULL:
/// none.
const config::SettingValue* find_setting(const autoscaler::LoadedPlugin& plugin,
                                         std::string_view message) {
    constexpr std::string_view prefix = "settings.";
    if (!message.starts_with(prefix)) return nullptr;
    message.remove_prefix(prefix.size());
    return plugin.settings.find(message.substr(0, message.find_first_of(".:")));
}

/// Between the index of a plugin and what it logs. An error has a space there.
constexpr char warning_mark = '!';

/// Runs in the child, for the plugins from index `first` on. Each begins a line with its index
/// before its code runs, so that after a crash the last line names the plugin.
int create_all(const config::Config& config, const autoscaler::PluginSet& plugins,
               std::size_t first, const SendLine& send) {
    std::size_t i = first;
    config::Config logging = config;
    logging.log = {
        .level = config::LogLevel::warn, .format = config::LogFormat::json, .per_plugin = {}};
    const auto host = autoscaler::PluginHost::open(
        logging, plugins,
        {.version = CAPSTAN_VERSION,
         .has_cluster = true,
         .is_dry_run = true,
         .log = [&i, &send](std::string_view line) {
             send(std::to_string(i) + warning_mark + io::printable(message_of(line), message_max));
         }});
    if (!host) throw Failure(host.error());
    for (; i < plugins.size(); ++i) {
        send(std::to_string(i));
        const auto created = (*host)->create(plugins[i]);
        if (created) {
            (*host)->stop({*created}, StopReason::shutdown);
        } else {
            send(std::to_string(i) + " " + io::printable(created.error().message, message_max));
        }
    }
    return 0;
}

/// Reads the lines of a child, which the plugins' code can write as well.
class LineReader {
public:
    LineReader(const autoscaler::PluginSet& plugins, config::Diagnostics& diagnostics)
        : plugins_(plugins), diagnostics_(diagnostics) {}

    void read(std::string_view line) {
        std::size_t index = 0;
        const char* const end = line.data() + line.size();
        const auto number = std::from_chars(line.data(), end, index);
        if (number.ec != std::errc() || index >= plugins_.size()) return;
        begun_ = index;
        if (number.ptr == end) return;
        const std::string what(number.ptr + 1, end);
        if (*number.ptr == warning_mark) return warn(index, what);
        refuse(index, what);
    }
    /// The plugin whose code ran last. Absent: no code has run.
    std::optional<std::size_t> begun() const noexcept { return begun_; }
    void refuse(std::size_t index, const std::string& why) {
        diagnostics_.error(plugins_[index].config.place, io::printable(why, message_max));
    }

private:
    void warn(std::size_t index, const std::string& what) {
        const autoscaler::LoadedPlugin& plugin = plugins_[index];
        const config::SettingValue* const setting = find_setting(plugin, what);
        const std::string& id = plugin.config.id.value();
        diagnostics_.warning(
            setting == nullptr ? plugin.config.place : setting->place,
            io::printable(setting == nullptr ? "plugin " + id + ": " + what
                                             : config::join_path("plugin", id) + "." + what,
                          message_max));
    }

    const autoscaler::PluginSet& plugins_;
    config::Diagnostics& diagnostics_;
    std::optional<std::size_t> begun_;
};

}  // namespace

void check_creation(const config::Config& config, const autoscaler::PluginSet& plugins,
                    config::Diagnostics& diagnostics) {
    for (std::size_t first = 0; first < plugins.size();) {
        LineReader lines(plugins, diagnostics);
        const ChildEnd end = run_child(
            [&](const SendLine& send) { return create_all(config, plugins, first, send); },
            {.patience = patience, .deadline = patience * static_cast<int>(plugins.size() + 1)},
            [&](std::string_view line) { lines.read(line); });
        if (end.is_well()) return;
        const std::size_t failed = std::max(lines.begun().value_or(first), first);
        lines.refuse(failed, "plugin " + plugins[failed].config.id.value() +
                                 ": create: the child process " + end.story());
        first = failed + 1;
    }
}

}  // namespace capstan::commands
