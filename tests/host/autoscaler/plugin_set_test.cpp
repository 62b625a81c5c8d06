#include "autoscaler/plugin_set.hpp"

#include <gmock/gmock.h>

#include "assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* chain_of_tiny =
    "[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"one\"]\nsplitter = \"one\"\n";

TEST(PluginSet, LoadsTheConfiguredFiles) {
    const Assembly assembly(
        "[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"one\"]\n[plugin.one]\nfile = "
        "\"tiny.so\"\nclass = "
        "\"tiny\"\n"
        "[plugin.two]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    ASSERT_EQ(assembly.plugins().size(), 3u) << "one, two, and the shipped splitter";
    EXPECT_EQ(assembly.plugins()[0].config.id, PluginInstanceId("one"));
    EXPECT_EQ(assembly.plugins()[0].library, assembly.plugins()[1].library)
        << "instances share a file";
}

TEST(PluginSet, RefusesAnInstanceOfAnotherKind) {
    const Assembly assembly(std::string(chain_of_tiny) +
                            "[plugin.one]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    EXPECT_THAT(assembly.diagnostics().text(),
                AllOf(HasSubstr("test.toml:6:"), HasSubstr("capstan.splitter/1")));
}

TEST(PluginSet, ListsTheClassesIfOneIsUnknown) {
    const Assembly assembly("[plugin.one]\nfile = \"tiny.so\"\nclass = \"big\"\n");
    EXPECT_THAT(assembly.diagnostics().text(), HasSubstr("has no class 'big'; it has tiny"));
}

TEST(PluginSet, ReportsAMissingFileWithItsPosition) {
    const Assembly assembly("[plugin.one]\nfile = \"absent.so\"\n");
    EXPECT_THAT(assembly.diagnostics().text(),
                AllOf(HasSubstr("test.toml:4:8: plugin.one: "), HasSubstr("absent.so")));
}

TEST(PluginSet, RefusesUnknownSettings) {
    const Assembly assembly(
        "[plugin.one]\nfile = \"tiny.so\"\nclass = \"tiny\"\nsettings = { colour = 1 }\n");
    EXPECT_THAT(assembly.diagnostics().text(),
                AllOf(HasSubstr("test.toml:6:14: "), HasSubstr("unknown key 'colour'")));
}

TEST(PluginSet, RequiresAPinIfConfigured) {
    const Assembly assembly(
        "require_sha256 = true\n[plugin.one]\nfile = \"tiny.so\"\nclass = \"tiny\"\n");
    EXPECT_THAT(assembly.diagnostics().text(), HasSubstr("sha256"));
}

TEST(PluginSet, ReportsAllMistakesAtOnce) {
    const Assembly assembly(
        "[plugin.one]\nfile = \"absent.so\"\n[plugin.two]\nfile = \"tiny.so\"\nclass = \"big\"\n"
        "[cluster]\nname = 7\n");
    EXPECT_EQ(assembly.diagnostics().errors(), 3u) << assembly.diagnostics().text();
}

}  // namespace
}  // namespace capstan::autoscaler
