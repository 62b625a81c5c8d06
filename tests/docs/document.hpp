/// A Markdown document as far as a reader acts upon it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace capstan::docs {

/// Every one of the source tree, which tests run in.
inline std::vector<std::filesystem::path> all_documents() {
    std::vector<std::filesystem::path> out{"README.md"};
    for (const char* folder : {"deploy", "docs", "host", "plugins", "sdk", "tests"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".md") out.push_back(entry.path());
    return out;
}

inline std::string text_of(const std::filesystem::path& document) {
    std::ifstream in(document);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Without a comment at the end.
inline std::string without_comment(const std::string& line) {
    return line.substr(0, line.find(" #"));
}

/// What stands in blocks for a shell, each command whole on one line.
inline std::vector<std::string> shell_commands(const std::filesystem::path& document) {
    std::vector<std::string> out;
    std::istringstream lines(text_of(document));
    bool is_shell = false, goes_on = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) {
            is_shell = line == "```sh";
            continue;
        }
        if (!is_shell) continue;
        line = without_comment(line);
        if (goes_on) {
            out.back() += line.substr(line.find_first_not_of(' '));
        } else if (!line.empty()) {
            out.push_back(line);
        }
        goes_on = !out.empty() && out.back().ends_with('\\');
        if (goes_on) out.back().pop_back();
    }
    return out;
}

/// Commands of capstan in the running text: `capstan plan --config FILE`.
inline std::vector<std::string> commands_in_text(const std::filesystem::path& document) {
    const std::string text = text_of(document);
    const std::regex pattern("`(capstan [^`\n]* --[^`\n]*)`");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// Where its links lead within the source tree, as seen from its folder.
inline std::vector<std::string> links(const std::filesystem::path& document) {
    const std::string text = text_of(document);
    const std::regex pattern(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// The words of a command, up to what is the shell's alone.
inline std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> out;
    std::istringstream in(command);
    for (std::string word; in >> word && word.find_first_of("<>|&;") == std::string::npos;)
        out.push_back(word);
    return out;
}

}  // namespace capstan::docs
