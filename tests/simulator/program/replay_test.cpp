// Passes that the shipped binary recorded with the shipped plugins, and replays.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../../host/commands/shell.hpp"

namespace capstan::commands {
namespace {

namespace fs = std::filesystem;

/// With CAPSTAN_REPLAY_ALL all scenarios are replayed, which takes minutes.
bool replays_all() { return std::getenv("CAPSTAN_REPLAY_ALL") != nullptr; }

std::vector<std::string> scenarios() {
    if (!replays_all()) {
        return {"balance_anti_affine", "fallback_when_exhausted", "limits_nap_32", "machines_lost",
                "spread_three_zones"};
    }
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator("tests/scenarios")) {
        const fs::path file = entry.path().lexically_relative("tests/scenarios");
        if (file.extension() == ".toml") out.push_back(fs::path(file).replace_extension().string());
    }
    std::ranges::sort(out);
    return out;
}

/// The name of the scenario, with underscores for all characters but letters and digits.
std::string name_of(const ::testing::TestParamInfo<std::string>& scenario) {
    std::string out = scenario.param;
    std::ranges::replace_if(
        out, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return out;
}

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().string());
    std::ranges::sort(out);
    return out;
}

/// Some of the files, including the first and the last.
std::vector<std::string> sample(const std::vector<std::string>& files) {
    const std::size_t step = replays_all() ? 1 : std::max<std::size_t>(1, files.size() / 4);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < files.size(); i += step) out.push_back(files[i]);
    if (!files.empty() && out.back() != files.back()) out.push_back(files.back());
    return out;
}

std::vector<std::string> record(const std::string& scenario, const Folder& folder) {
    const CommandResult ran =
        capstan("simulate tests/scenarios/" + scenario + ".toml -o json --record '" +
                (folder.path() / "passes").string() + "'");
    EXPECT_EQ(ran.err, "");
    return files_in(folder.path() / "passes");
}

/// A pass with a scale-up.
std::string pass_with_increase(const Folder& folder) {
    for (const std::string& file : record("fallback_when_exhausted", folder)) {
        std::ifstream in(file);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        if (text.find(R"("increases":[{)") != std::string::npos) return text;
    }
    ADD_FAILURE() << "no pass has an increase";
    return {};
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.rfind(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Replay : public ::testing::TestWithParam<std::string> {};

TEST_P(Replay, MakesTheSameDecisionForEachRecordedPass) {
    const Folder folder;
    const std::vector<std::string> files = record(GetParam(), folder);
    ASSERT_FALSE(files.empty());
    EXPECT_TRUE(fs::path(files[0]).filename().string().starts_with("pass-000001-20200101T"));
    for (const std::string& file : sample(files)) {
        const CommandResult ran = capstan("replay '" + file + "'");
        EXPECT_EQ(ran.code, 0) << file << '\n' << ran.err << ran.out;
        EXPECT_NE(ran.out.find("\nsame decision\n"), std::string::npos) << ran.out;
        EXPECT_EQ(ran.err, "");
    }
}

INSTANTIATE_TEST_SUITE_P(Scenario, Replay, ::testing::ValuesIn(scenarios()), name_of);

/// A recorded pass whose increase was changed to 7, and whose group is renamed to `group` unless
/// that is empty.
std::string record_with_increase_of_seven(const Folder& folder, const std::string& group = "") {
    std::string text = pass_with_increase(folder);
    const std::size_t at = text.find(R"("increases":[{)");
    const std::string by = text.substr(text.find(R"("by":)", at), 6);
    text = changed(text, by, R"("by":7)");
    if (group.empty()) return folder.write("p.json", text);
    const std::string key = R"("group":")";
    const std::size_t name = text.find(key, at) + key.size();
    const std::string was = text.substr(name, text.find('"', name) - name);
    for (std::size_t i = 0; (i = text.find('"' + was + '"', i)) != std::string::npos;)
        text.replace(i, was.size() + 2, '"' + group + '"');
    return folder.write("p.json", text);
}

TEST(Replay, ShowsDifferencesAndSummarizesActionsFirst) {
    const Folder folder;
    const std::string file = record_with_increase_of_seven(folder);
    const CommandResult ran = capstan("replay '" + file + "'");
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.out.find("different decision:\n"
                           "1 action differs: increases/"),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.out.find("/by\n    recorded  7"), std::string::npos) << ran.out;
    const CommandResult json = capstan("replay -o json '" + file + "'");
    EXPECT_NE(json.out.find(R"("same":false,"differences":[{"path":"decision/)"), std::string::npos)
        << json.out;
}

TEST(Replay, PrintsAGroupIdWithSlashesCompletely) {
    const Folder folder;
    const std::string group = "projects/p/zones/z/instanceGroups/g";
    const CommandResult ran =
        capstan("replay '" + record_with_increase_of_seven(folder, group) + "'");
    EXPECT_NE(ran.out.find("1 action differs: increases/" + group + "\n"), std::string::npos)
        << ran.out;
}

TEST(Replay, AcceptsARewordedReason) {
    const Folder folder;
    const std::string text = pass_with_increase(folder);
    const std::size_t at = text.find(R"("because":")", text.find(R"("increases":[{)"));
    ASSERT_NE(at, std::string::npos);
    std::string reworded = text;
    reworded.insert(at + 11, "in other words: ");
    const CommandResult ran = capstan("replay '" + folder.write("p.json", reworded) + "'");
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("same decision\nonly sentences differ:\n"), std::string::npos)
        << ran.out;
}

TEST(Replay, ReportsAnotherHostVersionAndPluginFile) {
    const Folder folder;
    std::string text = pass_with_increase(folder);
    text.replace(text.find(R"("host":")"), 8, R"("host":"older than )");
    const std::size_t sha = text.find(R"("sha256":")", text.find(R"("plugins":)"));
    text.replace(sha + 10, 4, "zzzz");
    const CommandResult ran = capstan("replay '" + folder.write("p.json", text) + "'");
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("recorded by capstan older than "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\nreplayed by capstan "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("(sha256 zzzz"), std::string::npos) << ran.out;
}

TEST(Replay, ShowsTheDecisionWithAnotherSetting) {
    const Folder folder;
    const std::string file = folder.write("p.json", pass_with_increase(folder));
    const CommandResult ran = capstan("replay '" + file + "' --set 'limits.nodes={ max = 0 }'");
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_NE(ran.out.find("decision/increases/"), std::string::npos) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("now       (nothing)"), std::string::npos) << ran.out;
}

TEST(Replay, RefusesInvalidRecords) {
    const Folder folder;
    const std::string text = pass_with_increase(folder);
    const struct {
        const char* name;
        std::string text;
        const char* message;
    } cases[] = {
        {"empty.json", "", "is empty, expected a JSON object"},
        {"cut.json", text.substr(0, text.size() / 2), "not JSON: ends too early"},
        {"later.json", changed(text, R"("version":2,"host")", R"("version":3,"host")"),
         "has version 3, written by capstan "},
        {"class.json", changed(text, R"("pods":[{"name":)", R"("pods":[{"pod_group":9,"name":)"),
         "no pod group 9"},
        {"config.json", changed(text, R"("config":")", R"("config":"# )"),
         "was changed after it was recorded"},
    };
    for (const auto& c : cases) {
        const CommandResult ran = capstan("replay '" + folder.write(c.name, c.text) + "'");
        EXPECT_EQ(ran.code, 2) << c.name;
        EXPECT_NE(ran.err.find(c.message), std::string::npos) << c.name << ": " << ran.err;
        EXPECT_EQ(ran.out, "") << c.name;
    }
    EXPECT_EQ(capstan("replay '" + (folder.path() / "none.json").string() + "'").code, 2);
}

TEST(SimulateRecord, ReportsAFolderThatCannotBeCreated) {
    const Folder folder;
    const std::string file = folder.write("file", "");
    const CommandResult ran =
        capstan("simulate tests/scenarios/three_zones.toml --record '" + file + "/passes'");
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("/passes: cannot be created: "), std::string::npos) << ran.err;
}

TEST(ExplainRecordedPass, ExplainsMatrixAndGroup) {
    const Folder folder;
    const std::string file = folder.write("p.json", pass_with_increase(folder));
    const CommandResult matrix = capstan("explain matrix --recorded '" + file + "'");
    EXPECT_EQ(matrix.code, 0) << matrix.err;
    EXPECT_NE(matrix.out.find("fits"), std::string::npos) << matrix.out;
    const CommandResult group = capstan("explain group fallback --recorded '" + file + "'");
    EXPECT_EQ(group.code, 0) << group.err;
    EXPECT_NE(group.out.find("can grow"), std::string::npos) << group.out;
    EXPECT_EQ(capstan("explain pod nobody/none --recorded '" + file + "'").code, 1);
}

}  // namespace
}  // namespace capstan::commands
