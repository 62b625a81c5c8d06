#include "commands/creation_check.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "commands/child_process.hpp"
#include "io/printable.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::commands {
namespace {

constexpr std::chrono::seconds patience{10};
constexpr std::size_t message_max = 4096;

/// Runs in the child, for the plugins from index `first` on. Each begins a line with its index
/// before its code runs, so that after a crash the last line names the plugin.
int create_all(const runtime::config::Config& config, const runtime::PluginSet& plugins,
               std::size_t first, const SendLine& send) {
    const auto host = runtime::PluginHost::open(
        config, plugins, {.version = CAPSTAN_VERSION, .has_cluster = true, .is_dry_run = true});
    if (!host) throw Failure(host.error());
    for (std::size_t i = first; i < plugins.size(); ++i) {
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
    LineReader(const runtime::PluginSet& plugins, runtime::config::Diagnostics& diagnostics)
        : plugins_(plugins), diagnostics_(diagnostics) {}

    void read(std::string_view line) {
        std::size_t index = 0;
        const char* const end = line.data() + line.size();
        const auto number = std::from_chars(line.data(), end, index);
        if (number.ec != std::errc() || index >= plugins_.size()) return;
        begun_ = index;
        if (number.ptr != end) refuse(index, std::string(number.ptr + 1, end));
    }
    /// The plugin whose code ran last. Absent: no code has run.
    std::optional<std::size_t> begun() const noexcept { return begun_; }
    void refuse(std::size_t index, const std::string& why) {
        diagnostics_.error(plugins_[index].config.place, io::printable(why, message_max));
    }

private:
    const runtime::PluginSet& plugins_;
    runtime::config::Diagnostics& diagnostics_;
    std::optional<std::size_t> begun_;
};

}  // namespace

void check_creation(const runtime::config::Config& config, const runtime::PluginSet& plugins,
                    runtime::config::Diagnostics& diagnostics) {
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
