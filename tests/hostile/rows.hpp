/// The tables beside this file: a plugin that misbehaves in one way, and what the host says and
/// does.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace capstan::hostile {

struct Row {
    std::string kind;      ///< of the plugin: "expander", "cloud", "controller"
    std::string at, act;   ///< the plugin's settings
    std::string limits{};  ///< TOML: of its table, beside short deadlines
    std::string config{};  ///< TOML: sections of the configuration that others do not have

    /// Words that one line of the log has. Empty: what is done needs no word.
    std::vector<std::string> says{};
    /// Words that an answer of the admin port has, of decisions or of plugins: what is no trouble
    /// of the host's own is no line of its log.
    std::vector<std::string> shows{};
    std::chrono::seconds within{15};  ///< until that is said, or the process has ended
    /// Exit codes with which the process ends by itself, 128 and the signal's number where one
    /// ended it. Empty: it goes on.
    std::vector<int> ends{};
    /// It may also go on: what the plugin does is not defined.
    bool may_go_on = false;
    /// Words that one line of the next run's log has, after an end other than a clean stop.
    std::vector<std::string> next{};

    /// What is left of a host that goes on: the other plugins still get pods their nodes, and the
    /// admin port answers.
    bool serves = true, answers = true;
    /// Pods ask for the plugin's own group, too.
    bool wants_rogue = false;
    /// The plugin's own group still grows afterwards: what it did wrong costs it one call alone.
    bool grows_rogue = false;
    std::chrono::seconds stops_within{10};  ///< of SIGTERM
    std::vector<int> stops_with{0};         ///< exit codes
    /// Another run begins after a clean stop, too: it finds nothing in its way, and tells of
    /// nothing.
    bool again = false;
    /// Words that one line of the log has once it has ended.
    std::vector<std::string> last_says{};
};
/// The row's name in the list of tests: letters, digits, underscores.
std::string name_of(const Row& row);
void PrintTo(const Row& row, std::ostream* out);

/// Of all tables. Throws where a table cannot be read.
std::vector<Row> all_rows();

}  // namespace capstan::hostile
