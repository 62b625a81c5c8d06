#include "plugin_tool/plugin_new.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// An empty temporary folder.
class PluginNewTest : public testing::Test {
protected:
    PluginNewTest() {
        std::string pattern = (fs::temp_directory_path() / "plugin-new-test-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    ~PluginNewTest() override { fs::remove_all(folder); }

    NewPlugin plugin(std::string name, std::string kind = "expander",
                     std::string language = "cpp") {
        return {std::move(kind), std::move(language), name, folder / name};
    }
    std::set<std::string> files_of(const fs::path& directory) {
        std::set<std::string> out;
        for (const auto& entry : fs::recursive_directory_iterator(directory)) {
            if (entry.is_regular_file())
                out.insert(entry.path().lexically_relative(directory).string());
        }
        return out;
    }
    /// The names of the files and folders in `directory`.
    std::set<std::string> names_in(const fs::path& directory) {
        std::set<std::string> out;
        for (const auto& entry : fs::directory_iterator(directory))
            out.insert(entry.path().filename().string());
        return out;
    }
    std::string read(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

    fs::path folder;
};

TEST_F(PluginNewTest, WritesAProjectWithItsName) {
    const auto directory = write_plugin_project(plugin("score2"));
    ASSERT_TRUE(directory) << directory.error().message;
    EXPECT_THAT(files_of(*directory), ElementsAre("CMakeLists.txt", "README.md", "plugin.cpp",
                                                  "score2.cpp", "score2.hpp", "score2_test.cpp"));
    EXPECT_THAT(read(*directory / "score2.hpp"), HasSubstr("class Score2 {"));
    EXPECT_THAT(read(*directory / "CMakeLists.txt"),
                HasSubstr("capstan_add_plugin(score2 ENTRY plugin.cpp SOURCES score2.cpp)"));
    EXPECT_THAT(names_in(folder), ElementsAre("score2")) << "nothing else remains";
}

TEST_F(PluginNewTest, ReplacesTheNameOfEveryTemplate) {
    for (const PluginTemplate& t : plugin_templates()) {
        NewPlugin wanted = plugin(
            "a_" + std::string(t.kind) + "_" + std::string(t.language) + std::string(t.variant),
            std::string(t.kind), std::string(t.language));
        wanted.variant = t.variant;
        const auto directory = write_plugin_project(wanted);
        ASSERT_TRUE(directory) << directory.error().message;
        EXPECT_EQ(files_of(*directory).size(), t.files.size());
        std::string upper_case(t.name);
        std::ranges::transform(upper_case, upper_case.begin(),
                               [](unsigned char c) { return std::toupper(c); });
        for (const std::string& file : files_of(*directory)) {
            const std::string text = file + "\n" + read(*directory / file);
            EXPECT_THAT(text, Not(HasSubstr(std::string(t.name)))) << file;
            EXPECT_THAT(text, Not(HasSubstr(class_name_of(t.name)))) << file;
            EXPECT_THAT(text, Not(HasSubstr(upper_case))) << file;
        }
    }
}

TEST_F(PluginNewTest, HasATemplateForEveryKind) {
    std::vector<std::string> known;
    for (const PluginTemplate& t : plugin_templates())
        known.push_back(std::string(t.kind) + " " + std::string(t.language));
    for (const char* wanted :
         {"expander cpp", "expander c", "expander rust", "similarity cpp", "splitter cpp",
          "controller cpp", "group_source cpp", "cloud cpp", "cloud c", "cloud rust"}) {
        EXPECT_THAT(known, testing::Contains(wanted));
    }
}

TEST_F(PluginNewTest, WritesAnHttpCloudByDefault) {
    const auto http = write_plugin_project(plugin("acme", "cloud"));
    ASSERT_TRUE(http) << http.error().message;
    EXPECT_THAT(files_of(*http), testing::IsSupersetOf({"api.cpp", "fake_api.hpp", "verify.http"}));
    EXPECT_THAT(read(*http / "acme.hpp"), HasSubstr("class Acme {"));
    std::ptrdiff_t lines = 0;
    for (const char* own : {"api.hpp", "api.cpp", "acme.hpp", "acme.cpp", "plugin.cpp"})
        lines += std::ranges::count(read(*http / own), '\n');
    EXPECT_LE(lines, 300) << "the SDK has the rest";
    NewPlugin small = plugin("little", "cloud");
    small.variant = "memory";
    const auto memory = write_plugin_project(small);
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_THAT(files_of(*memory), testing::Contains("recent.hpp"));
}

TEST_F(PluginNewTest, PrintsHowToBuildARustProject) {
    std::ostringstream out, err;
    NewPlugin wanted = plugin("mine", "expander", "rust");
    EXPECT_EQ(plugin_new(wanted, out, err), 0) << err.str();
    EXPECT_TRUE(fs::exists(folder / "mine/src/lib.rs"));
    EXPECT_THAT(out.str(), HasSubstr("/mine/target/release/libmine.so"));
}

TEST_F(PluginNewTest, RefusesInvalidNames) {
    for (const char* name : {"", "Score", "2score", "_score", "my-score", "score.so", "../score",
                             "score ", "t\u00e9st", "test", "plugin", "string",
                             "a234567890123456789012345678901234567890123456789"}) {
        const auto refused = write_plugin_project({"expander", "cpp", name, folder / "project"});
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument) << name;
    }
    EXPECT_THAT(files_of(folder), IsEmpty());
}

TEST_F(PluginNewTest, RefusesANameWhoseClassAlreadyExists) {
    const auto refused = write_plugin_project(plugin("cloud", "cloud"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("its class name Cloud is already used in "));
    EXPECT_TRUE(write_plugin_project(plugin("acme_cloud", "cloud")));
}

TEST_F(PluginNewTest, ListsTheTemplates) {
    const auto refused = write_plugin_project(plugin("mine", "expandr"));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("templates are: expander (cpp, c, rust)"));
    EXPECT_THAT(refused.error().message, HasSubstr("did you mean 'expander'?"));
    EXPECT_THAT(write_plugin_project(plugin("mine", "cloud", "go")).error().message,
                HasSubstr("cloud (cpp http, cpp memory, c, rust)"));
    NewPlugin other = plugin("mine", "cloud");
    other.variant = "grpc";
    EXPECT_THAT(write_plugin_project(other).error().message,
                HasSubstr("no template for kind \"cloud\" in language \"cpp\" with name \"grpc\""));
}

TEST_F(PluginNewTest, OverwritesNothing) {
    fs::create_directory(folder / "mine");
    write(folder / "mine" / "notes.txt", "precious");
    const auto refused = write_plugin_project(plugin("mine"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_THAT(refused.error().message, HasSubstr("not empty"));
    EXPECT_THAT(files_of(folder / "mine"), ElementsAre("notes.txt"));
    EXPECT_THAT(names_in(folder), ElementsAre("mine"));

    write(folder / "file", "precious");
    EXPECT_FALSE(write_plugin_project(plugin("file")));
    EXPECT_EQ(read(folder / "file"), "precious");
}

TEST_F(PluginNewTest, AcceptsAnEmptyDirectoryAndATrailingSlash) {
    fs::create_directory(folder / "empty");
    NewPlugin wanted = plugin("mine");
    wanted.directory = folder / "empty/";
    ASSERT_TRUE(write_plugin_project(wanted));
    EXPECT_TRUE(fs::exists(folder / "empty" / "mine.cpp"));
}

TEST_F(PluginNewTest, ReportsWhatItCannotWrite) {
    NewPlugin wanted = plugin("mine");
    wanted.directory = folder / "nowhere" / "mine";
    const auto refused = write_plugin_project(wanted);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
    EXPECT_THAT(refused.error().message,
                HasSubstr("nowhere: cannot be written: No such file or directory"));
}

TEST_F(PluginNewTest, PrintsTheNextStepsAndReturnsAnExitCode) {
    std::ostringstream out, err;
    EXPECT_EQ(plugin_new(plugin("mine"), out, err), 0);
    EXPECT_THAT(out.str(), HasSubstr("cmake -S " + (folder / "mine").string()));
    EXPECT_EQ(plugin_new(plugin("mine"), out, err), 1);
    EXPECT_EQ(plugin_new(plugin("Mine"), out, err), 2);
    EXPECT_THAT(err.str(), HasSubstr("plugin name \"Mine\""));
}

TEST(PluginClassName, IsPascalCase) {
    EXPECT_EQ(class_name_of("fewest_nodes"), "FewestNodes");
    EXPECT_EQ(class_name_of("a2_b__c_"), "A2BC");
}

}  // namespace
}  // namespace capstan::plugin_tool
