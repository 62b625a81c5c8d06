/// Commands and links of Markdown documents.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace capstan::docs {

/// Every document of the source tree. Tests run in the top folder.
inline std::vector<std::filesystem::path> all_documents() {
    std::vector<std::filesystem::path> out{"README.md", "CHANGELOG.md", "CONTRIBUTING.md",
                                           "SECURITY.md"};
    for (const char* folder : {"deploy", "docs", "engine", "host", "plugin_tool", "plugins", "sdk",
                               "simulator", "tests"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".md") out.push_back(entry.path());
    return out;
}

inline std::string text_of(const std::filesystem::path& document) {
    std::ifstream in(document);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The line without the comment at its end.
inline std::string without_comment(const std::string& line) {
    return line.substr(0, line.find(" #"));
}

/// A command, and its output: the lines of the block that follows.
struct ShownCommand {
    std::string command;
    std::vector<std::string> printed{};
};

/// Every command in order; the output of several commands of one block is stored with the last.
inline std::vector<ShownCommand> shown_commands(const std::filesystem::path& document) {
    std::vector<ShownCommand> out;
    std::istringstream lines(text_of(document));
    bool is_inside = false, is_shell = false, is_continued = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) {
            is_inside = !is_inside;
            is_shell = is_inside && line == "```sh";
            continue;
        }
        if (!is_inside || line.empty()) continue;
        if (!is_shell) {
            if (!out.empty()) out.back().printed.push_back(line);
            continue;
        }
        line = without_comment(line);
        if (is_continued) {
            out.back().command += line.substr(line.find_first_not_of(' '));
        } else {
            out.push_back({line});
        }
        is_continued = out.back().command.ends_with('\\');
        if (is_continued) out.back().command.pop_back();
    }
    return out;
}

/// The commands of shell blocks, each on one line.
inline std::vector<std::string> shell_commands(const std::filesystem::path& document) {
    std::vector<std::string> out;
    for (ShownCommand& shown : shown_commands(document)) out.push_back(std::move(shown.command));
    return out;
}

/// Commands of capstan in the comments at the top of a TOML file. A command ends at a backquote, at
/// two spaces, or at the end of the line.
inline std::vector<std::string> commands_in_header(const std::filesystem::path& file) {
    std::vector<std::string> out;
    std::istringstream lines(text_of(file));
    const std::regex pattern("capstan [a-z]+ [^`]*?(?=`|  |$)");
    for (std::string line; std::getline(lines, line) && line.starts_with('#');)
        for (std::sregex_iterator at(line.begin(), line.end(), pattern), end; at != end; ++at)
            out.push_back(at->str());
    return out;
}

/// Commands of capstan with an option that are in backquotes: `capstan plan --config FILE`.
inline std::vector<std::string> commands_in_text(const std::filesystem::path& document) {
    const std::string text = text_of(document);
    const std::regex pattern("`(capstan [^`\n]* --[^`\n]*)`");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// Targets of links within the source tree, relative to the folder of the document.
inline std::vector<std::string> links(const std::filesystem::path& document) {
    const std::string text = text_of(document);
    const std::regex pattern(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// The words of a command up to the first shell operator.
inline std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> out;
    std::istringstream in(command);
    for (std::string word; in >> word && word.find_first_of("<>|&;") == std::string::npos;)
        out.push_back(word);
    return out;
}

}  // namespace capstan::docs
