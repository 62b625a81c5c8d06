#include "config/print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const PluginSettings* nothing_loaded(const PluginInstanceId&) { return nullptr; }

constexpr const char* file = R"([scale_down]
unneeded_time = "5m"      # a comment
[cluster]
name = "prod"
leader_election.lease = "capstan"
[plugin.acme]
file = "/opt/acme.so"
settings = { "k8s.io/tags" = { z = 1, a = 0.5 }, token = { secret = "acme-token" } }
grants.secrets = ["acme-token"]
[plugin.random]
[secrets]
dir = "/etc/secrets"
[pipeline.scale_up]
expanders = [{ use = "acme", on_error = "fail" }, "random"]
[limits]
memory.max = "64Gi"
)";

class PrintConfigTest : public ::testing::Test {
protected:
    PrintConfigTest() : loaded_(load(file)) { EXPECT_EQ(loaded_.diagnostics.text(), ""); }
    Loaded load(const std::string& text) const {
        return load_config(Source{"t.toml", text}, folder_.plugins());
    }
    std::string explain(std::string_view key) const {
        const auto text = explain_key(key, &*loaded_.config, nothing_loaded);
        return text ? *text : text.error().message;
    }

    ShippedFolder folder_{"expanders/random.so", "expanders/least_waste.so",
                          "similarity/resources.so", "similarity/labels.so",
                          "balancer/node_groups.so"};
    Loaded loaded_;
};

TEST_F(PrintConfigTest, PrintsTheSetKeysBySection) {
    EXPECT_EQ(print_config(*loaded_.config, PrintDefaults::no, nothing_loaded),
              R"([cluster]
name = "prod"

[cluster.leader_election]
lease = "capstan"

[pipeline.scale_up]
expanders = [{ use = "acme", on_error = "fail" }, "random"]

[plugin.acme]
file = "/opt/acme.so"

[plugin.acme.grants]
secrets = ["acme-token"]

[plugin.acme.settings]
"k8s.io/tags" = { z = 1, a = 0.5 }
token = { secret = "acme-token" }

[plugin.random]

[scale_down]
unneeded_time = "5m"

[limits.memory]
max = "64Gi"

[secrets]
dir = "/etc/secrets"
)");
}

TEST_F(PrintConfigTest, PrintsAnEquivalentConfiguration) {
    for (const PrintDefaults defaults : {PrintDefaults::no, PrintDefaults::yes}) {
        const std::string once = print_config(*loaded_.config, defaults, nothing_loaded);
        const Loaded again = load(once);
        ASSERT_EQ(again.diagnostics.text(), "");
        EXPECT_EQ(print_config(*again.config, defaults, nothing_loaded), once);
        EXPECT_EQ(again.config->scale_down.unneeded_time, std::chrono::minutes(5));
        EXPECT_EQ(again.config->limits.memory.max, *parse_quantity("64Gi"));
        EXPECT_EQ(again.config->pipeline.scale_up.expanders.at(0).on_error,
                  StageFailurePolicy::fail);
    }
}

TEST_F(PrintConfigTest, PrintsEveryKeyWithItsDocumentation) {
    const std::string all = print_config(*loaded_.config, PrintDefaults::yes, nothing_loaded);
    EXPECT_THAT(all, HasSubstr("# How long a node must be unneeded before it is removed. A group's "
                               "own setting takes precedence.\nunneeded_time = \"5m\"\n"));
    EXPECT_THAT(all, HasSubstr("# Maximum number of nodes that are removed at the same "
                               "time.\nmax_parallelism = 10\n"));
    EXPECT_THAT(all,
                HasSubstr("[limits.memory]\n# Scale-down does not go below this.\nmin = \"0\"\n"
                          "# Scale-up does not go above this. Unset: no limit.\nmax = \"64Gi\"\n"));
    EXPECT_THAT(all, HasSubstr("# Upstream's default: \"2m\"\nmax_pod_eviction_time = \"1h\"\n"));
    EXPECT_THAT(all, HasSubstr("# sha256 is not set: string\n"));
    EXPECT_THAT(all, HasSubstr("[plugin.node_groups]\n"));
}

TEST_F(PrintConfigTest, PrintsSettingsOfALoadedPlugin) {
    PluginSettings random{{{.key = "salt", .doc = "Mixed into the seed.", .default_toml = "\"\""},
                           {.key = "token", .type = SettingType::secret, .doc = "A secret."}},
                          {}};
    random.settings = validate_settings({}, random.fields, "", loaded_.diagnostics);
    const auto loaded = [&](const PluginInstanceId& id) {
        return id.value() == "random" ? &random : nullptr;
    };
    EXPECT_THAT(print_config(*loaded_.config, PrintDefaults::yes, loaded),
                HasSubstr("[plugin.random.settings]\n# Mixed into the seed.\nsalt = \"\"\n# A "
                          "secret.\n# token is not set: secret\n"));
    EXPECT_THAT(print_config(*loaded_.config, PrintDefaults::no, loaded), Not(HasSubstr("salt")));
    EXPECT_EQ(
        *explain_key("plugin.random.settings.salt", nullptr, loaded),
        "plugin.random.settings.salt\n  Mixed into the seed.\n  type: string\n  default: \"\"\n");
}

TEST_F(PrintConfigTest, ExplainsAKeyWithTypeDefaultAndValue) {
    EXPECT_EQ(explain("scale_down.unneeded_time"),
              "scale_down.unneeded_time\n"
              "  How long a node must be unneeded before it is removed. A group's own setting "
              "takes precedence.\n"
              "  type: duration of at least 0s\n"
              "  default: \"10m\"\n"
              "  upstream flag: --scale-down-unneeded-time\n"
              "  set to: \"5m\" (line 2)\n");
    EXPECT_EQ(
        explain("scale_down.utilization_threshold"),
        "scale_down.utilization_threshold\n"
        "  A node is unneeded only if its pods request at most this share of its allocatable cpu "
        "and of its allocatable memory. A group's own setting takes precedence.\n"
        "  type: number 0..1\n"
        "  default: 0.5\n"
        "  upstream flag: --scale-down-utilization-threshold\n");
    EXPECT_EQ(explain("scale_up.one_option_per_pass"),
              "scale_up.one_option_per_pass\n"
              "  Carry out only one scale-up option in each pass, as upstream does. If false, "
              "further options are chosen until no group can help the remaining pods.\n"
              "  type: boolean\n"
              "  default: false\n"
              "  upstream flag: --salvo-scale-up (reversed: true there is false here)\n"
              "  upstream default: true\n");
    EXPECT_THAT(explain("pipeline.scale_up.expanders"),
                HasSubstr("default: [\"least_waste\", \"random\"]\n"));
    EXPECT_THAT(explain("pipeline.scale_up.expanders.on_error"),
                HasSubstr("type: one of \"skip\", \"fail\"\n"));
    EXPECT_THAT(explain("log.per_plugin.aws"),
                HasSubstr("type: one of \"trace\", \"debug\", \"info\", \"warn\", \"error\"\n"));
}

TEST_F(PrintConfigTest, ExplainsATableByItsKeys) {
    EXPECT_EQ(explain("reload"),
              "reload\n  Reloading of this file.\n  keys:\n"
              "    watch  Reload this file when it changes. SIGHUP reloads it in any case.\n");
    EXPECT_THAT(explain("plugin.\"acme\""), HasSubstr("plugin.acme\n"));
    EXPECT_THAT(explain("plugin.acme.limits"),
                HasSubstr("    max_inflight      Maximum number of asynchronous calls"));
}

TEST_F(PrintConfigTest, SuggestsASimilarKey) {
    EXPECT_EQ(explain("scale_down.uneeded_time"),
              "there is no key 'uneeded_time' in scale_down; did you mean 'unneeded_time'?");
    EXPECT_EQ(explain("scaledown"),
              "there is no key 'scaledown' in the configuration; did you mean 'scale_down'?");
    EXPECT_EQ(explain("cluster.name.x"), "there is no key 'x' in cluster.name");
    EXPECT_EQ(explain("plugin.acme.settings.x"),
              "plugin.acme.settings: plugin 'acme' is not loaded, so its settings are unknown; use "
              "--config with a file that has it");
    for (const char* key : {"", "a b", "a = 1\nb", "[x]", "a..b", "a.b # c"}) {
        EXPECT_THAT(explain(key), HasSubstr("is not a dotted TOML key")) << key;
    }
}

}  // namespace
}  // namespace capstan::config
