// The defaults that the comments of examples name are those of the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../host/commands/shell.hpp"
#include "document.hpp"

namespace capstan::docs {
namespace {

/// A key of an example, its value if it is on one line, and the comment about it.
struct CommentedKey {
    std::string file, key, value, comment;
};

/// The members of `{ a = 1, b = "x" }`; of another value, the value itself without a key.
std::vector<std::pair<std::string, std::string>> members_of(const std::string& value) {
    std::vector<std::pair<std::string, std::string>> out;
    if (!value.starts_with("{") || value.starts_with("{ secret")) return {{"", value}};
    const std::regex member(R"re(([a-z_]+) = ("[^"]*"|\[[^\]]*\]?|[^,}]+))re");
    for (std::sregex_iterator at(value.begin(), value.end(), member), end; at != end; ++at) {
        std::string text = (*at)[2];
        text.erase(text.find_last_not_of(' ') + 1);
        out.emplace_back("." + (*at)[1].str(), text);
    }
    return out;
}

/// Keys with a comment about a default, also keys that are commented out.
std::vector<CommentedKey> commented_keys(const std::filesystem::path& file) {
    std::vector<CommentedKey> out;
    std::istringstream lines(text_of(file));
    const std::regex section(R"(\[([^\[\]]+)\].*)");
    const std::regex line_of_key(R"((?:# )?([a-z_]+) = (.*?) +# (.*\bdefaults?\b.*))");
    std::string table;
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (std::regex_match(line, found, section)) table = found[1];
        if (!std::regex_match(line, found, line_of_key)) continue;
        for (const auto& [member, value] : members_of(found[2]))
            out.push_back({file.string(), table + "." + found[1].str() + member, value, found[3]});
    }
    return out;
}

/// The text after `label` in what `config explain` prints about the key. Absent: it has none.
std::optional<std::string> explained(const CommentedKey& commented, const std::string& label) {
    const commands::CommandResult ran =
        commands::capstan("config explain " + commented.key + " --config " + commented.file);
    EXPECT_EQ(ran.code, 0) << commented.key << ": " << ran.err;
    const std::size_t at = ran.out.find("\n  " + label + ": ");
    if (at == std::string::npos) return std::nullopt;
    const std::size_t begin = at + label.size() + 5;
    return ran.out.substr(begin, ran.out.find('\n', begin) - begin);
}

/// Durations have no quotes in comments.
std::string unquoted(std::string text) {
    std::erase(text, '"');
    return text;
}

void check_default(const CommentedKey& commented) {
    SCOPED_TRACE(commented.file + ": " + commented.key + " # " + commented.comment);
    const std::string actual = explained(commented, "default").value_or("");
    const std::regex named(R"re(default ("[^"]*"|\[[^\]]*\]|-?[0-9][0-9.a-z]*|true|false).*)re");
    std::smatch found;
    if (commented.comment.starts_with("the default")) {
        EXPECT_EQ(unquoted(commented.value), unquoted(actual));
    } else if (std::regex_match(commented.comment, found, named)) {
        EXPECT_EQ(unquoted(found[1]), unquoted(actual));
    } else {
        // "default none", "default: no limit": the key is unset or empty.
        EXPECT_TRUE(actual.empty() || actual == "[]" || actual == "{}" || actual == "\"\"")
            << actual;
    }
    const std::regex upstream(R"re(.*\bupstream: ([^;, ]+).*)re");
    if (!std::regex_match(commented.comment, found, upstream)) return;
    const std::string theirs = unquoted(explained(commented, "upstream default").value_or("-"));
    EXPECT_EQ(found[1] == "none" ? "" : found[1].str(), theirs);
}

TEST(DocumentedExamples, NameTheDefaultsOfTheProgram) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("examples")) {
        if (entry.path().extension() != ".toml") continue;
        // Groups of scenarios have other keys than a configuration.
        if (text_of(entry.path()).find("\ntitle = ") != std::string::npos) continue;
        for (const CommentedKey& commented : commented_keys(entry.path())) {
            check_default(commented);
            ++count;
        }
    }
    EXPECT_GE(count, 90u);
}

TEST(DocumentedExamples, AreReadWithTheirComments) {
    const commands::Folder folder;
    const auto keys = commented_keys(folder.write("a.toml",
                                                  "[scale_down]\n"
                                                  "enabled = true    # the default; upstream: no\n"
                                                  "# x = 1           # default none\n"
                                                  "s = { a = 1, b = \"c\" }   # the defaults\n"
                                                  "y = 2             # no comment about it\n"));
    std::string text;
    for (const CommentedKey& each : keys)
        text += each.key + "=" + each.value + " # " + each.comment + "\n";
    EXPECT_EQ(text,
              "scale_down.enabled=true # the default; upstream: no\n"
              "scale_down.x=1 # default none\n"
              "scale_down.s.a=1 # the defaults\n"
              "scale_down.s.b=\"c\" # the defaults\n");
}

}  // namespace
}  // namespace capstan::docs
