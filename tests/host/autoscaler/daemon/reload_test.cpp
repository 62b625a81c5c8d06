#include "autoscaler/daemon/reload.hpp"

#include <gmock/gmock.h>

#include <string>

#include "autoscaler/virtual_assembly.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

LoadedConfig load(const std::string& toml) {
    const auto assembly = std::make_shared<Assembly>(toml);
    if (!assembly->diagnostics().empty())
        throw std::invalid_argument(assembly->diagnostics().text());
    LoadedConfig out;
    out.config = assembly->config();
    // The search path is a different folder each time.
    std::erase_if(out.config.tree.children, [](const auto& c) { return c.key == "trust"; });
    out.plugins = assembly->plugins();
    out.owner = assembly;
    return out;
}

const std::string cloud = "[pipeline]\nclouds = [\"eu\"]\n";

TEST(Reload, FindsNoChangeIfOnlyTheLayoutDiffers) {
    const ConfigChanges changes = find_changes(load("[scale_down]\nenabled = true\n[scale_up]\n"),
                                               load("# moved\n[scale_up]\n\n[scale_down]\n"));
    EXPECT_THAT(changes.live, IsEmpty());
    EXPECT_THAT(changes.fixed, IsEmpty());
}

TEST(Reload, SeparatesLiveSettingsFromThoseThatNeedARestart) {
    const ConfigChanges changes = find_changes(
        load("[cluster]\nscan_interval = \"10s\"\n"),
        load("[cluster]\nscan_interval = \"20s\"\nnamespace = \"x\"\n[admin]\nlisten = \":1\"\n"
             "max_inactivity = \"1m\"\nmax_connections = 9\n[scale_down]\nenabled = false\n"));
    EXPECT_THAT(changes.live,
                ElementsAre("cluster.scan_interval", "admin.max_inactivity", "scale_down.enabled"));
    EXPECT_THAT(changes.fixed,
                ElementsAre("cluster.namespace", "admin.listen", "admin.max_connections"));
}

TEST(Reload, UsesTheLiveFlagOfPluginSettings) {
    const auto with = [](const std::string& settings) {
        return load(cloud +
                    simulated("eu", settings + ", groups = [" + simulated_group("web") + "]"));
    };
    const ConfigChanges changes = find_changes(with("latency = \"1s\", currency = \"EUR\""),
                                               with("latency = \"2s\", currency = \"USD\""));
    EXPECT_THAT(changes.live, ElementsAre("plugin.eu.settings.latency"));
    EXPECT_THAT(changes.fixed, ElementsAre("plugin.eu.settings.currency"));
    EXPECT_THAT(changes.plugins, ElementsAre(PluginInstanceId("eu")));
}

TEST(Reload, RecreatesOnlyChangedPolicyPlugins) {
    const std::string tiny = "[plugin.t]\nfile = \"tiny.so\"\nclass = \"tiny\"\n";
    const auto with = [](const std::string& expanders, const std::string& tables) {
        return load("[pipeline.scale_up]\nsimilarity = []\nexpanders = [" + expanders + "]\n" +
                    tables);
    };
    const ConfigChanges added = find_changes(with("\"random\"", ""), with("\"t\"", tiny));
    EXPECT_THAT(added.live, ElementsAre("pipeline.scale_up.expanders", "plugin.t"));
    EXPECT_THAT(added.fixed, IsEmpty());
    EXPECT_THAT(added.made, ElementsAre(PluginInstanceId("t")));
    EXPECT_THAT(added.gone, ElementsAre(PluginInstanceId("random")));
    const ConfigChanges other = find_changes(
        with("\"t\"", tiny), with("\"t\"", tiny + "limits = { call_deadline = \"2s\" }\n"));
    EXPECT_THAT(other.live, ElementsAre("plugin.t.limits.call_deadline"));
    EXPECT_THAT(other.made, ElementsAre(PluginInstanceId("t")));
    EXPECT_THAT(other.gone, IsEmpty());
}

TEST(Reload, CreatesCloudsOnlyAtTheStart) {
    const std::string eu = simulated("eu", "groups = [" + simulated_group("web") + "]");
    const std::string us = simulated("us", "groups = [" + simulated_group("far") + "]");
    const LoadedConfig started = load(cloud + eu);
    const ConfigChanges added =
        find_changes(started, load("[pipeline]\nclouds = [\"eu\", \"us\"]\n[scale_up]\n"
                                   "default_spread = [\"zone\"]\n" +
                                   eu + us));
    EXPECT_THAT(added.live, ElementsAre("scale_up.default_spread"));
    EXPECT_THAT(added.fixed, ElementsAre("pipeline.clouds", "plugin.us"));
    EXPECT_TRUE(added.keeps_clouds);
    EXPECT_THAT(added.made, IsEmpty());
    const LoadedConfig both = load("[pipeline]\nclouds = [\"eu\", \"us\"]\n" + eu + us);
    const ConfigChanges fewer = find_changes(both, load(cloud + eu));
    EXPECT_THAT(fewer.live, ElementsAre("pipeline.clouds"));
    EXPECT_THAT(fewer.fixed, ElementsAre("plugin.us")) << "it keeps running unused";
    EXPECT_FALSE(fewer.keeps_clouds);
}

TEST(Reload, RemembersChangesThatNeedARestart) {
    const LoadedConfig started = load("[cluster]\nnamespace = \"a\"\n");
    const LoadedConfig running = load("[cluster]\nnamespace = \"b\"\nscan_interval = \"20s\"\n");
    EXPECT_THAT(find_changes(started, running, running).fixed, ElementsAre("cluster.namespace"));
    const ConfigChanges back = find_changes(started, running, started);
    EXPECT_THAT(back.fixed, IsEmpty()) << "it was never applied";
    EXPECT_THAT(back.live, ElementsAre("cluster.scan_interval"));
}

TEST(Reload, RequiresARestartForTheSpreadTimeoutAnnotation) {
    const ConfigChanges changes =
        find_changes(load(""), load("[scale_up]\nspread_timeout_annotation = \"x/y\"\n"));
    EXPECT_THAT(changes.live, IsEmpty());
    EXPECT_THAT(changes.fixed, ElementsAre("scale_up.spread_timeout_annotation"));
}

TEST(Reload, AppliesTheDefaultSpread) {
    const ConfigChanges changes =
        find_changes(load(""), load("[scale_up]\ndefault_spread = [\"zone\"]\n"));
    EXPECT_THAT(changes.live, ElementsAre("scale_up.default_spread"));
    EXPECT_THAT(changes.fixed, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
