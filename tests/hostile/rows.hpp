/// The tables of this folder: one misbehaviour of a plugin, and the expected reaction of the host.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace capstan::hostile {

struct Row {
    std::string kind;      ///< of the plugin: "expander", "cloud", "controller"
    std::string at, act;   ///< the plugin's settings
    std::string limits{};  ///< TOML: further limits of the plugin
    std::string config{};  ///< TOML: further sections of the configuration

    /// Words of one log line. Empty: the log is not checked.
    std::vector<std::string> log{};
    /// Words of the decisions or plugins page of the admin port, for problems that are not logged.
    std::vector<std::string> admin{};
    std::chrono::seconds within{15};  ///< until it is reported, or the process ends
    /// Exit codes if the process ends by itself, 128 + the number of a signal. Empty: it continues.
    std::vector<int> exit_codes{};
    /// It may also continue: the effect is undefined.
    bool may_continue = false;
    /// Words of one log line of the next run, if there is one.
    std::vector<std::string> next_log{};

    /// If the host continues: other plugins still add nodes for pods, and the admin port responds.
    bool serves = true, admin_responds = true;
    /// There are also pods that fit only in the group of the plugin.
    bool wants_rogue = false;
    /// The group of the plugin still scales up, because only one of its calls is skipped.
    bool grows_rogue = false;
    std::chrono::seconds stops_within{10};  ///< after SIGTERM
    std::vector<int> stops_with{0};         ///< exit codes
    /// Another run starts also after a clean stop: it succeeds, and reports nothing.
    bool runs_again = false;
    /// Words of one log line after the end.
    std::vector<std::string> last_log{};
};
/// The name of the row as a test: letters, digits, underscores.
std::string name_of(const Row& row);
void PrintTo(const Row& row, std::ostream* out);

/// The rows of all tables. Throws if a table cannot be read.
std::vector<Row> all_rows();

}  // namespace capstan::hostile
