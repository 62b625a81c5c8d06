// Commands in documents are valid.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "commands/command_line.hpp"
#include "commands/examples.hpp"
#include "config/configuration.hpp"
#include "config/upstream_flags.hpp"
#include "document.hpp"
#include "engine/remedies.hpp"
#include "plugin_tool/plugin_program.hpp"
#include "simulator/program/simulator_program.hpp"

namespace capstan::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsSupersetOf;

/// The program that reads the arguments after `capstan`.
commands::Program program_of(const std::vector<std::string>& words) {
    if (words.size() > 1 && words[1] == "plugin")
        return {.add_commands = plugin_tool::add_commands};
    const bool is_external =
        words.size() > 1 && std::ranges::count(commands::shipped_commands(), words[1],
                                               &commands::ExternalCommand::name) > 0;
    if (is_external) return simulator::program::simulator_program();
    return commands::capstan_program();
}

/// The error of a command of capstan; empty if it is valid.
std::string parse_error_of(const std::string& command) {
    const std::vector<std::string> words = words_of(command);
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    std::ostringstream err;
    const bool is_valid = commands::parses(static_cast<int>(arguments.size()), arguments.data(),
                                           err, program_of(words));
    return is_valid ? "" : err.str();
}

/// Configurations of the source tree that commands in documents use.
std::set<std::string> documented_configurations() {
    std::set<std::string> out;
    for (const fs::path& document : all_documents())
        for (const std::string& command : shell_commands(document)) {
            const std::vector<std::string> words = words_of(command);
            for (std::size_t i = 1; i < words.size(); ++i)
                if (words[i - 1] == "--config" && words[i].starts_with("examples/"))
                    out.insert(words[i]);
        }
    return out;
}

TEST(Documents, ShowSearchPathsWithPluginFiles) {
    for (const fs::path& document : all_documents()) {
        const std::string text = text_of(document);
        if (text.find("\nfile = \"/") == std::string::npos) continue;
        EXPECT_NE(text.find("search_paths = ["), std::string::npos)
            << document.string() << ": a file is refused outside of [trust] search_paths";
    }
}

TEST(Documents, ShowValidCommands) {
    std::vector<std::string> shown;
    for (const fs::path& document : all_documents())
        for (const std::string& command : shell_commands(document)) {
            if (!command.starts_with("capstan ")) continue;
            shown.push_back(command);
            EXPECT_EQ(parse_error_of(command), "") << document.string() << ": " << command;
        }
    EXPECT_THAT(shown, IsSupersetOf({"capstan doctor --config examples/kwok.toml",
                                     "capstan run --config examples/kwok.toml --state "
                                     "/tmp/capstan"}))
        << "commands of the tutorial";
}

TEST(Documents, NameValidCommandsInTheirText) {
    std::vector<std::string> named;
    for (const auto& document : fs::directory_iterator("docs")) {
        if (document.path().extension() != ".md") continue;
        for (const std::string& command : commands_in_text(document.path())) {
            named.push_back(command);
            EXPECT_EQ(parse_error_of(command), "") << document.path() << ": " << command;
        }
    }
    EXPECT_THAT(named, Contains("capstan plan --config examples/kwok.toml"));
}

TEST(CommandHelp, ShowsValidCommands) {
    for (const std::string& line : commands::example_lines())
        EXPECT_EQ(parse_error_of(without_comment(line)), "") << line;
}

TEST(CommandCheck, FindsInvalidCommands) {
    for (const char* command :
         {"capstan", "capstan dance", "capstan doctor --confg FILE", "capstan explain pod",
          "capstan run --config", "capstan plugin", "capstan plugin dance"})
        EXPECT_NE(parse_error_of(command), "") << command;
}

/// Whether a word of a command names a file of the source tree.
bool is_source_file(const std::string& word) {
    return word.starts_with("examples/") || word.starts_with("deploy/") ||
           word.starts_with("tests/") || word.starts_with("./");
}

TEST(Documents, NameExistingFiles) {
    for (const fs::path& document : all_documents())
        for (const std::string& command : shell_commands(document))
            for (const std::string& word : words_of(command))
                EXPECT_TRUE(!is_source_file(word) || fs::exists(word))
                    << document.string() << ": " << command;
}

TEST(DocumentedExamples, BeginWithValidCommands) {
    std::vector<std::string> shown;
    for (const auto& entry : fs::directory_iterator("examples")) {
        if (entry.path().extension() != ".toml") continue;
        for (const std::string& command : commands_in_header(entry.path())) {
            shown.push_back(command);
            EXPECT_EQ(parse_error_of(command), "") << entry.path() << ": " << command;
            for (const std::string& word : words_of(command))
                EXPECT_TRUE(!is_source_file(word) || fs::exists(word)) << command;
            // "SCENARIO" is a file that the reader has.
            const bool is_whole = command.find(" SCENARIO") == std::string::npos;
            if (!command.starts_with("capstan simulate ") || !is_whole) continue;
            const commands::CommandResult ran =
                commands::capstan(command.substr(command.find(' ')));
            EXPECT_EQ(ran.code, 0) << command << ran.out << ran.err;
        }
    }
    EXPECT_THAT(shown, IsSupersetOf({"capstan run --config examples/balancer.toml",
                                     "capstan cluster examples/live.toml --run",
                                     "capstan simulate tests/scenarios/provisioning/TC3.toml "
                                     "--config examples/provisioning.toml"}));
}

/// "| `KEY` | `DEFAULT` | `UPSTREAM` |" of every key whose default differs from upstream's.
void collect_own_defaults(const config::Fields& fields, const std::string& path,
                          std::vector<std::string>& out) {
    for (const config::Field& field : fields) {
        const std::string key = path.empty() ? field.key : path + "." + field.key;
        if (!field.upstream.empty())
            out.push_back("| `" + key + "` | `" + field.default_toml + "` | `" + field.upstream +
                          "` |");
        collect_own_defaults(field.fields, key, out);
    }
}

TEST(Documents, ListDefaultsThatDifferFromUpstreams) {
    std::vector<std::string> expected, listed;
    collect_own_defaults(config::config_schema(), "", expected);
    std::istringstream lines(text_of("docs/defaults.md"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("| `") && !line.starts_with("| `--"))
            listed.push_back(line.substr(0, line.rfind(" | ") + 2));
    EXPECT_EQ(listed, expected);
    EXPECT_EQ(expected.size(), 14u);
}

TEST(Documents, ListAllRemedies) {
    std::vector<std::string> expected, listed;
    for (const engine::Remedy& remedy : engine::remedies())
        expected.push_back("| `" + std::string(remedy.code) + "` | " + std::string(remedy.text) +
                           " |");
    std::istringstream lines(text_of("docs/why.md"));
    bool is_after_title = false;
    for (std::string line; std::getline(lines, line);) {
        is_after_title = is_after_title || line == "## Reasons and remedies";
        if (is_after_title && line.starts_with("| `")) listed.push_back(line);
    }
    EXPECT_EQ(listed, expected) << "docs/why.md must list the table of engine/remedies.cpp";
}

TEST(Documents, ListTheKeysOfUpstreamsFlags) {
    std::vector<std::string> expected, listed;
    for (const config::UpstreamFlag& flag : config::upstream_flags()) {
        const std::string key = flag.key.empty() ? "none" : "`" + std::string(flag.key) + "`";
        expected.push_back("| `" + flag.text() + "` | " + key + " | " + std::string(flag.remark) +
                           " |");
    }
    std::istringstream lines(text_of("docs/defaults.md"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("| `--")) listed.push_back(line);
    EXPECT_EQ(listed, expected);
}

TEST(Documents, HaveValidLinks) {
    for (const fs::path& document : all_documents())
        for (const std::string& link : links(document))
            EXPECT_TRUE(fs::exists(document.parent_path() / link))
                << document.string() << ": " << link;
}

/// All examples except scenarios. A scenario has a title.
std::set<std::string> example_configurations() {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator("examples")) {
        const bool is_toml = entry.path().extension() == ".toml";
        if (is_toml && text_of(entry.path()).find("\ntitle = ") == std::string::npos)
            out.insert(entry.path().string());
    }
    return out;
}

TEST(DocumentedExamples, PassConfigCheck) {
    const std::set<std::string> configurations = example_configurations();
    EXPECT_THAT(configurations, IsSupersetOf(documented_configurations()));
    EXPECT_THAT(configurations, IsSupersetOf({"examples/aws.toml", "examples/external_grpc.toml",
                                              "examples/kwok.toml", "examples/zalando.toml"}));
    for (const std::string& config : configurations) {
        const commands::CommandResult ran = commands::capstan("config check --config " + config);
        EXPECT_EQ(ran.code, 0) << config << ": " << ran.out << ran.err;
    }
}

}  // namespace
}  // namespace capstan::docs
