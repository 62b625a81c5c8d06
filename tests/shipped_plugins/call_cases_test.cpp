// The shipped files with the shipped binary: `capstan plugin call` on the tables of
// tests/cases/call.
#include <gmock/gmock.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

struct Case {
    std::string plugin, kind, title;
    std::string settings, request;
    std::string response;        ///< a JSON object; empty: no output
    std::string output, errors;  ///< parts of standard output and of standard error
    int exit = 0;
};

std::string text_at(const toml::table& table, const char* key) {
    return table[key].value_or(std::string());
}

std::vector<Case> cases_in(const std::string& file) {
    const toml::table table = toml::parse_file(file);
    std::vector<Case> out;
    for (const toml::node& entry : *table["case"].as_array()) {
        const toml::table& c = *entry.as_table();
        out.push_back({.plugin = text_at(table, "plugin"),
                       .kind = text_at(table, "kind"),
                       .title = text_at(c, "title"),
                       .settings = text_at(c, "settings"),
                       .request = text_at(c, "request"),
                       .response = text_at(c, "answer"),
                       .output = text_at(c, "says"),
                       .errors = text_at(c, "complains"),
                       .exit = c["exit"].value_or(0)});
    }
    return out;
}

/// Exactly the keys of a response.
std::vector<std::string> keys_of_response(const Case& c) {
    static const std::map<std::string, std::vector<std::string>> keys{
        {"expander", {"options", "explain"}},
        {"similarity", {"similar", "decided", "because"}},
        {"splitter", {"deltas"}},
        {"controller", {"placement", "missing", "overflow"}}};
    return c.exit == 1 ? std::vector<std::string>{"error"} : keys.at(c.kind);
}

void expect_response(const Case& c, const std::string& printed) {
    ASSERT_EQ(std::ranges::count(printed, '\n'), 1) << printed;
    const json::object response = json::parse(printed).as_object();
    std::vector<std::string> keys;
    for (const auto& member : response) keys.emplace_back(member.key());
    EXPECT_EQ(keys, keys_of_response(c)) << printed;
    const json::object expected = json::parse(c.response).as_object();
    for (const auto& member : expected) {
        EXPECT_EQ(response.at(member.key()), member.value()) << printed;
    }
}

CommandResult ask(const Case& c) {
    const Folder folder;
    std::string arguments =
        "plugin call '" + shipped(c.plugin + ".so").string() + "' --kind " + c.kind;
    if (!c.settings.empty())
        arguments += " --settings '" + folder.write("settings.toml", c.settings) + "'";
    return capstan(arguments, c.request);
}

class CallCases : public testing::TestWithParam<std::string> {};

TEST_P(CallCases, MatchTheResponsesOfTheShippedFiles) {
    for (const Case& c : cases_in(GetParam())) {
        SCOPED_TRACE(GetParam() + ": " + c.title);
        const CommandResult ran = ask(c);
        EXPECT_EQ(ran.code, c.exit) << ran.err;
        if (c.response.empty()) {
            EXPECT_EQ(ran.out, "");
        } else {
            expect_response(c, ran.out);
        }
        EXPECT_THAT(ran.out, testing::HasSubstr(c.output));
        EXPECT_THAT(ran.err, testing::HasSubstr(c.errors));
        if (c.errors.empty()) {
            EXPECT_EQ(ran.err, "");
        }
    }
}

std::vector<std::string> tables() {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator("tests/cases/call"))
        out.push_back(entry.path().string());
    std::ranges::sort(out);
    return out;
}

std::string named_like_the_plugin(const testing::TestParamInfo<std::string>& info) {
    return std::filesystem::path(info.param).stem();
}

INSTANTIATE_TEST_SUITE_P(Shipped, CallCases, testing::ValuesIn(tables()), named_like_the_plugin);

}  // namespace
}  // namespace capstan::commands
