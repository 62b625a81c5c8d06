// `capstan plugin list`; `capstan plugin inspect` with and without running the plugin's code.
#include <gmock/gmock.h>

#include "../host/commands/shell.hpp"

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PluginInspectTest : public testing::Test {
protected:
    /// The plugin `early`, changed to do `what` when it is loaded.
    std::string early(const std::string& what) const {
        std::ifstream in(commands::build_tree() / "tests/bin/plugins/early.so", std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(in), {}};
        const std::string key = "CAPSTAN_EARLY=";
        std::string text = key + what;
        text.resize(256, '\0');
        bytes.replace(bytes.find(key + "nothing"), text.size(), text);
        return folder_.write("early.so", bytes);
    }
    const commands::Folder folder_;
    const fs::path touched_ = folder_.path() / "touched";
};

TEST_F(PluginInspectTest, RunsNoCodeOfTheFile) {
    const commands::CommandResult ran = commands::capstan("plugin inspect " + early(touched_));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\nowner "), HasSubstr("mode 0"), HasSubstr("\nneeds "),
                               HasSubstr("libc.so.6, already loaded"), HasSubstr("sha256 = \""),
                               HasSubstr("\nunknown "), Not(HasSubstr("\nclass "))));
    EXPECT_FALSE(fs::exists(touched_));
    EXPECT_EQ(
        commands::capstan("plugin call " + folder_.path().string() + "/early.so --kind expander",
                          "{\"options\": []}")
            .code,
        0);
    EXPECT_TRUE(fs::exists(touched_)) << "its code runs if the host loads it";
}

TEST_F(PluginInspectTest, RunsItsCodeConfinedIfRequested) {
    const commands::CommandResult ran =
        commands::capstan("plugin inspect --run " + early(touched_));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\nIts code was run in a confined child process"),
                               HasSubstr("\nvendor "), HasSubstr("\nclass keeps "),
                               Not(HasSubstr("\nunknown "))));
    EXPECT_FALSE(fs::exists(touched_));
    EXPECT_EQ(commands::capstan("plugin verify " + folder_.path().string() + "/early.so").code, 0);
    EXPECT_FALSE(fs::exists(touched_));
}

TEST_F(PluginInspectTest, ReportsHowItsCodeEnded) {
    const commands::CommandResult ran = commands::capstan("plugin inspect --run " + early("abort"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(testing::StartsWith("file "),
                               HasSubstr("the process that loaded it was killed by signal 6")));
}

TEST_F(PluginInspectTest, IgnoresForgedReportsOfItsCode) {
    const commands::CommandResult ran =
        commands::capstan("plugin inspect -o json --run " + early("forge"));
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("forged")), HasSubstr("sent an unexpected report")));
}

TEST_F(PluginInspectTest, PrintsTheSameForTheSameFile) {
    const std::string file = early("nothing");
    EXPECT_EQ(commands::capstan("plugin inspect -o json " + file).out,
              commands::capstan("plugin inspect -o json " + file).out);
}

TEST(PluginList, NamesEveryShippedPlugin) {
    const commands::CommandResult ran = commands::capstan("plugin list");
    for (const char* name : {"label_priority", "least_nodes", "least_waste", "most_pods", "price",
                             "priority", "random", "labels", "resources", "node_groups"}) {
        EXPECT_THAT(ran.out, HasSubstr("\n" + std::string(name) + " ")) << ran.out;
    }
}

TEST_F(PluginInspectTest, PrintsSettingsWithDefaultsAndThePin) {
    const commands::CommandResult ran =
        commands::capstan("plugin inspect --run " +
                          commands::quoted_path(commands::shipped("similarity/resources.so")));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("capstan.similarity/1"), HasSubstr("capacity_memory_tolerance"),
                      HasSubstr("0.015"), HasSubstr("sha256 = \""), HasSubstr("\nloads    yes")));
}

}  // namespace
}  // namespace capstan::plugin_tool
