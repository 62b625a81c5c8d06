// `capstan explain` if groups can be created.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <boost/json.hpp>

#include "shell.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

CommandResult explain(const std::string& pod, const std::string& scenario,
                      const std::string& more = {}) {
    return capstan("explain pod " + pod + " --scenario tests/scenarios/provisioning/" + scenario +
                   ".toml " + more);
}

TEST(ExplainProvisioning, ListsGroupsThatCouldBeCreatedAndWhyOthersWereNotTried) {
    const CommandResult ran = explain("default/big", "TC1");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(
        ran.out,
        AllOf(HasSubstr("COULD BE CREATED"),
              HasSubstr("nodeautoprovisioning-simulated-n1-standard-16-a-72d19529  for 1 pod"),
              HasSubstr("machine type n1-standard-4"),
              HasSubstr("not tried: no pod fits on a new machine; default/big: needs 12 of cpu")));
}

TEST(ExplainProvisioning, NamesTheLimitThatIsReached) {
    EXPECT_THAT(explain("default/web", "TC8").out,
                HasSubstr("not tried: max cluster cpu limit reached: 3 left, a new node needs 4"));
}

TEST(ExplainProvisioning, PrintsTheGroupsAsJson) {
    const CommandResult ran = explain("default/big", "TC1", "-o json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::array groups = json::parse(ran.out).at("new_groups").as_array();
    ASSERT_EQ(groups.size(), 2u);
}

/// `config check` with a cloud that offers `types` and a group source with the machine types
/// `setting`.
CommandResult check_machine_types(const std::string& types, const std::string& setting) {
    const Folder folder;
    std::string tables;
    for (const char* type : {"n1-standard-2", "n1-standard-8"})
        if (types.find(type) != std::string::npos)
            tables += "{ machine = { type = \"" + std::string(type) +
                      "\", cpu = \"2\", memory = \"8Gi\" }, zones = [\"a\"] },";
    return capstan("config check --config '" +
                   folder.write("config.toml",
                                "[pipeline]\nclouds = [\"simulated\"]\n[pipeline.scale_up]\n"
                                "group_sources = [\"provisioning\"]\n"
                                "similarity = [\"resources\"]\n"
                                "[plugin.simulated]\nsettings = { groups = [], "
                                "machine_types = [" +
                                    tables +
                                    "] }\n"
                                    "[plugin.provisioning]\nsettings = { machine_types = [" +
                                    setting + "] }\n") +
                   "'");
}

TEST(CheckProvisioning, WarnsAboutUnknownMachineTypes) {
    const std::string both = "n1-standard-2 n1-standard-8";
    const CommandResult typo = check_machine_types(both, R"("n1-standard-2", "n1-standrd-8")");
    EXPECT_EQ(typo.code, 0) << typo.err;
    EXPECT_THAT(typo.err,
                AllOf(HasSubstr("plugin.provisioning.settings.machine_types: no cloud offers "
                                "machine type 'n1-standrd-8'; did you mean 'n1-standard-8'?"),
                      HasSubstr("config.toml:9:")));
    EXPECT_EQ(check_machine_types(both, R"("n1-standard-2")").err, "");
    EXPECT_EQ(check_machine_types(both, "").err, "");
    const CommandResult none = check_machine_types("", R"("n1-standard-2")");
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_THAT(none.err, HasSubstr("no group can be created: no cloud offers machine types"));
}

}  // namespace
}  // namespace capstan::commands
