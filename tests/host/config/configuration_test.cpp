#include "config/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "config/references.hpp"
#include "shipped_folder.hpp"

namespace capstan::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class ConfigurationTest : public ::testing::Test {
protected:
    Loaded load(const std::string& text) const {
        return load_config(Source{"capstan.toml", text}, folder_.plugins());
    }
    std::string errors(const std::string& text) const { return load(text).diagnostics.text(); }
    std::string first_line(const std::string& text) const {
        const std::string all = errors(text);
        return all.substr(0, all.find('\n'));
    }
    static std::vector<std::string> ids(const Config& config) {
        std::vector<std::string> out;
        for (const PluginConfig& plugin : config.plugins) out.push_back(plugin.id.value());
        return out;
    }

    ShippedFolder folder_{"aws.so",
                          "replicas.so",
                          "provisioning.so",
                          "expanders/least_waste.so",
                          "expanders/random.so",
                          "expanders/label_priority.so",
                          "similarity/resources.so",
                          "similarity/labels.so",
                          "balancer/node_groups.so"};
};

constexpr const char* example = R"([cluster]
name = "prod-eu-1"
kubeconfig = "in-cluster"
scan_interval = "10s"

[pipeline]
clouds = ["aws"]
controllers = ["replicas"]

[pipeline.scale_up]
expanders = ["label_priority", { use = "acme_score", on_error = "fail" }, "least_waste", "random"]
similarity = ["resources", "labels"]
splitter = "node_groups"
group_sources = ["provisioning"]

[plugin.aws]
settings = { region = "eu-central-1" }

[plugin.labels]
settings = { preset = "aws", ignore = ["team"] }

[plugin.acme_score]
file = "/opt/acme/capstan/score.so"
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
grants = { http = ["score.acme.example"], secrets = ["acme-token"] }
limits = { call_deadline = "150ms" }
settings = { token = { secret = "acme-token" } }

[secrets]
dir = "/etc/capstan/secrets"
)";

TEST_F(ConfigurationTest, ReadsTheWholePipeline) {
    const Loaded loaded = load(example);
    ASSERT_EQ(loaded.diagnostics.text(), "");
    const Config& config = *loaded.config;
    EXPECT_EQ(config.cluster.name, "prod-eu-1");
    EXPECT_EQ(config.cluster.scan_interval, seconds(10));
    EXPECT_THAT(config.pipeline.clouds, ElementsAre(PluginInstanceId("aws")));
    ASSERT_EQ(config.pipeline.scale_up.expanders.size(), 4u);
    EXPECT_EQ(config.pipeline.scale_up.expanders[1].use.value(), "acme_score");
    EXPECT_EQ(config.pipeline.scale_up.expanders[1].on_error, StageFailurePolicy::fail);
    EXPECT_EQ(config.pipeline.scale_up.expanders[1].on_empty, std::nullopt);
    EXPECT_THAT(config.pipeline.scale_up.similarity,
                ElementsAre(PluginInstanceId("resources"), PluginInstanceId("labels")));
    EXPECT_THAT(ids(config),
                ElementsAre("aws", "labels", "acme_score", "replicas", "label_priority",
                            "least_waste", "random", "resources", "node_groups", "provisioning"));
}

TEST_F(ConfigurationTest, ReadsTheTableOfAPlugin) {
    const Loaded loaded = load(example);
    const PluginConfig& acme = *loaded.config->find_plugin("acme_score");
    EXPECT_EQ(acme.file, "/opt/acme/capstan/score.so");
    EXPECT_TRUE(acme.sha256 && acme.sha256->starts_with("e3b0c442"));
    EXPECT_FALSE(acme.shipped);
    EXPECT_THAT(acme.grants.http, ElementsAre("score.acme.example"));
    EXPECT_THAT(acme.grants.secrets, ElementsAre("acme-token"));
    EXPECT_EQ(acme.limits.call_deadline, milliseconds(150));
    EXPECT_EQ(acme.limits.refresh_deadline, minutes(2));
    EXPECT_EQ(acme.settings.find("token")->find("secret")->place, (Place{27, 33, 12}));
    EXPECT_EQ(acme.place, (Place{22, 9, 10}));
}

TEST_F(ConfigurationTest, FindsAShippedPluginByName) {
    const Loaded loaded = load(example);
    const PluginConfig& random = *loaded.config->find_plugin("random");
    EXPECT_EQ(random.file, (folder_.root() / "expanders/random.so").string());
    EXPECT_TRUE(random.shipped);
    EXPECT_FALSE(random.declared);
    EXPECT_EQ(random.place, (Place{11, 90, 8}));
}

TEST_F(ConfigurationTest, HasDefaultsForAnEmptyFile) {
    const Loaded loaded = load("");
    ASSERT_EQ(loaded.diagnostics.text(), "");
    const Config& config = *loaded.config;
    EXPECT_THAT(ids(config), UnorderedElementsAre("least_waste", "random", "resources", "labels",
                                                  "node_groups"));
    EXPECT_EQ(config.cluster.kubeconfig, "");
    EXPECT_EQ(config.scale_down.unneeded_time, minutes(10));
    EXPECT_EQ(config.scale_down.utilization_threshold, 0.5);
    EXPECT_EQ(config.scale_up.expendable_pods_priority_cutoff, -10);
    EXPECT_TRUE(config.scale_up.balance_similar);
    EXPECT_EQ(config.limits.cpu.max, std::nullopt);
    EXPECT_EQ(config.limits.nodes.max, std::nullopt);
    EXPECT_EQ(config.admin.listen, ":8085");
}

TEST_F(ConfigurationTest, LetsTwoInstancesUseOneShippedPlugin) {
    const Loaded loaded = load(
        "[plugin.waste_cpu]\nclass = \"least_waste\"\nsettings.weights.cpu = 1\n"
        "[pipeline.scale_up]\nexpanders = [\"waste_cpu\", \"least_waste\"]\n");
    EXPECT_EQ(loaded.diagnostics.text(), "");
    EXPECT_EQ(loaded.config->find_plugin("waste_cpu")->file,
              loaded.config->find_plugin("least_waste")->file);
    EXPECT_EQ(loaded.config->find_plugin("waste_cpu")->class_name, "least_waste");
}

TEST_F(ConfigurationTest, ReportsAllMistakesAtOnce) {
    EXPECT_EQ(
        errors("[cluster]\n"
               "scan_intervall = \"10s\"\n"
               "[pipeline]\n"
               "clouds = [\"asw\"]\n"
               "[pipeline.scale_up]\n"
               "expanders = [{ use = \"random\", on_error = \"ignore\" }, \"rnadom\"]\n"
               "[scale_down]\n"
               "unneeded_time = 600\n"
               "gpu_types = {}\n"
               "[log]\n"
               "level = \"warning\"\n"),
        "capstan.toml:2:1: cluster: unknown key 'scan_intervall'; did you mean 'scan_interval'?\n"
        "    scan_intervall = \"10s\"\n"
        "    ^^^^^^^^^^^^^^\n"
        "capstan.toml:4:11: pipeline.clouds[0]: no plugin instance named 'asw'; did you mean "
        "'aws'?\n"
        "    clouds = [\"asw\"]\n"
        "              ^^^^^\n"
        "capstan.toml:6:43: pipeline.scale_up.expanders[0].on_error: expected one of \"skip\", "
        "\"fail\", found string \"ignore\"\n"
        "    expanders = [{ use = \"random\", on_error = \"ignore\" }, \"rnadom\"]\n"
        "                                              ^^^^^^^^\n"
        "capstan.toml:6:55: pipeline.scale_up.expanders[1]: no plugin instance named 'rnadom'; did "
        "you mean 'random'?\n"
        "    expanders = [{ use = \"random\", on_error = \"ignore\" }, \"rnadom\"]\n"
        "                                                          ^^^^^^^^\n"
        "capstan.toml:8:17: scale_down.unneeded_time: expected duration such as \"90s\" or "
        "\"1h30m\" of at least 0s, found integer 600\n"
        "    unneeded_time = 600\n"
        "                    ^^^\n"
        "capstan.toml:9:1: scale_down: unknown key 'gpu_types'; it belongs in [limits]\n"
        "    gpu_types = {}\n"
        "    ^^^^^^^^^\n"
        "capstan.toml:11:9: log.level: expected one of \"trace\", \"debug\", \"info\", \"warn\", "
        "\"error\", found string \"warning\"\n"
        "    level = \"warning\"\n"
        "            ^^^^^^^^^\n");
}

TEST_F(ConfigurationTest, StopsAtASyntaxError) {
    const Loaded loaded = load("[cluster]\nname = \"x\nscan = 1\n");
    EXPECT_FALSE(loaded.config);
    EXPECT_THAT(loaded.diagnostics.text(), HasSubstr("capstan.toml:2:"));
    EXPECT_EQ(loaded.diagnostics.errors(), 1u);
}

TEST_F(ConfigurationTest, NamesAnUnreadableFile) {
    const Loaded loaded = load_config("/no/such/capstan.toml", folder_.plugins());
    EXPECT_FALSE(loaded.config);
    EXPECT_EQ(loaded.diagnostics.text(), "/no/such/capstan.toml: No such file or directory\n");
}

TEST_F(ConfigurationTest, NamesTheRightTableForMisplacedSettings) {
    EXPECT_EQ(first_line("[plugin.aws]\nregion = \"eu\"\n"),
              "capstan.toml:2:1: plugin.aws: unknown key 'region'; settings of the plugin "
              "belong in plugin.aws.settings");
    EXPECT_EQ(first_line("[plugin.aws]\nsetings = {}\n"),
              "capstan.toml:2:1: plugin.aws: unknown key 'setings'; did you mean 'settings'?");
    EXPECT_THAT(first_line("[plugin.aws]\nsettings = 1\n"),
                HasSubstr("plugin.aws.settings: expected table, found integer 1"));
    EXPECT_THAT(first_line("plugin = 1\n"),
                HasSubstr("plugin: expected map of table, found integer 1"));
}

TEST_F(ConfigurationTest, RefusesToGrantReservedMetricNames) {
    EXPECT_THAT(
        first_line("[plugin.aws]\nfile = \"aws.so\"\ngrants = { metrics = [\"aws_calls_total\", "
                   "\"cluster_autoscaler_nodes_count\"] }\n"),
        HasSubstr("plugin.aws.grants.metrics: "
                  "'cluster_autoscaler_nodes_count': is reserved for the host's own metrics"));
}

TEST_F(ConfigurationTest, RequiresTheFileOfAnUnknownPlugin) {
    EXPECT_EQ(first_line("[plugin.acme]\n"),
              "capstan.toml:1:9: plugin.acme: there is no shipped plugin 'acme'; set 'file'");
    EXPECT_THAT(first_line("[plugin.x]\nclass = \"leest_waste\"\n"),
                HasSubstr("there is no shipped plugin 'leest_waste'; set 'file'; did you mean "
                          "'least_waste'?"));
}

TEST_F(ConfigurationTest, ReportsContradictorySettings) {
    EXPECT_EQ(first_line("[limits]\ncpu = { min = 8, max = 4 }\n"),
              "capstan.toml:2:7: limits.cpu: min 8 is greater than max 4");
    EXPECT_THAT(first_line("[limits]\ngpu_types.\"nvidia.com/gpu\" = { min = 2, max = 1 }\n"),
                HasSubstr("limits.gpu_types.\"nvidia.com/gpu\": min 2 is greater than max 1"));
    EXPECT_THAT(first_line("[scale_up]\ninitial_node_group_backoff_duration = \"1h\"\n"),
                HasSubstr("must not be longer than max_node_group_backoff_duration"));
    EXPECT_THAT(first_line("[cluster]\nleader_election.lease_duration = \"5s\"\n"),
                HasSubstr("retry_period must be shorter"));
    EXPECT_THAT(first_line("[cluster]\nleader_election.retry_period = \"9s\"\n"),
                HasSubstr("1.2 times retry_period must be shorter than renew_deadline"));
    EXPECT_THAT(first_line("[cluster]\nleader_election.retry_period = \"0s\"\n"),
                HasSubstr("retry_period longer than 0s"));
    EXPECT_THAT(first_line("[cluster]\nscan_interval = \"0s\"\n"), HasSubstr("at least \"100ms\""));
    EXPECT_THAT(first_line("[admin]\nlisten = \"8085\"\n"),
                HasSubstr("admin.listen: expected HOST:PORT with an IP address, found \"8085\""));
    EXPECT_THAT(first_line("[admin]\nlisten = \"localhost:8085\"\n"), HasSubstr("an IP address"));
    for (const char* text : {"127.0.0.1:0", "[::1]:8085", "0.0.0.0:8085", ":8085"})
        EXPECT_EQ(first_line("[admin]\nlisten = \"" + std::string(text) + "\"\n"), "");
    EXPECT_THAT(first_line("[admin]\nlisten = \":99999\"\n"), HasSubstr("expected HOST:PORT"));
    EXPECT_EQ(first_line("[admin]\nlisten = \"\"\n"), "");
    EXPECT_EQ(first_line("[trust]\nsearch_paths = [\"/a\", \"b\"]\n"),
              "capstan.toml:2:23: trust.search_paths[1]: not an absolute path");
    EXPECT_THAT(first_line("[plugin.aws]\nsha256 = \"E3B0\"\n"),
                HasSubstr("plugin.aws.sha256: expected 64 lower-case hexadecimal digits"));
    EXPECT_THAT(first_line("[plugin.\"a b\"]\nfile = \"/x.so\"\n"),
                HasSubstr("a name has at most 63 characters"));
    EXPECT_THAT(first_line("[log]\nper_plugin = { asw = \"debug\" }\n"),
                HasSubstr("capstan.toml:2:16: log.per_plugin: no plugin instance named 'asw'"));
    EXPECT_EQ(first_line("[scale_down]\ndrain_rules_off = [\"pdb\", \"local-storage\"]\n"),
              "capstan.toml:2:27: scale_down.drain_rules_off: no drain rule named 'local-storage'; "
              "did you mean 'local_storage'?");
    EXPECT_EQ(first_line("[scale_down]\ndrain_rules_off = [\"pdb\", \"system\"]\n"), "");
    EXPECT_EQ(first_line("[scale_up]\ndefault_spread = [{ max_skew = 2 }]\n"),
              "capstan.toml:2:19: scale_up.default_spread[0].topology_key: expected a node "
              "label key, found \"\"");
    EXPECT_EQ(first_line("[scale_up]\ndefault_spread = [\"zone\", \"my zone\"]\n"),
              "capstan.toml:2:27: scale_up.default_spread[1].topology_key: expected a node "
              "label key, found \"my zone\"");
    EXPECT_EQ(first_line("[[scale_up.default_spread]]\ntopology_key = \"zone\"\n"
                         "[[scale_up.default_spread]]\ntopology_key = \"zone\"\nmax_skew = 2\n"),
              "capstan.toml:4:16: scale_up.default_spread[1].topology_key: duplicate 'zone'");
    EXPECT_THAT(
        first_line("[scale_up]\ndefault_spread = [{ topology_key = \"zone\", max_skew = 0 }]\n"),
        HasSubstr("scale_up.default_spread[0].max_skew"));
    EXPECT_THAT(
        first_line("[scale_up]\ndefault_spread = [{ topology_key = \"zone\", selector = {} }]\n"),
        HasSubstr("scale_up.default_spread[0]"));
    EXPECT_EQ(first_line("[pipeline]\nclouds = [\"aws\", \"aws\"]\n"),
              "capstan.toml:2:18: pipeline.clouds: duplicate 'aws'");
}

TEST_F(ConfigurationTest, DocumentsEveryDrainRule) {
    const auto is = [](const char* key) { return [key](const Field& f) { return f.key == key; }; };
    const Fields& sections = config_schema();
    const auto scale_down = std::ranges::find_if(sections, is("scale_down"));
    const auto off = std::ranges::find_if(scale_down->fields, is("drain_rules_off"));
    for (const std::string_view name : drain_rule_names)
        EXPECT_THAT(off->doc, HasSubstr(std::string(name)));
}

TEST_F(ConfigurationTest, ReadsTheApiServerOfAKubeconfig) {
    const Loaded loaded = load(
        "[cluster]\nkubeconfig = \"/etc/capstan/kubeconfig\"\ncontext = \"prod\"\n"
        "server = \"https://10.0.0.1:6443/k8s\"\nkube_client_qps = 7.5\n"
        "kube_client_burst = 20\n");
    ASSERT_EQ(loaded.diagnostics.text(), "");
    const Cluster& cluster = loaded.config->cluster;
    EXPECT_EQ(cluster.context, "prod");
    EXPECT_EQ(cluster.server, "https://10.0.0.1:6443/k8s");
    EXPECT_EQ(cluster.kube_client_qps, 7.5);
    EXPECT_EQ(cluster.kube_client_burst, 20);
}

TEST_F(ConfigurationTest, HasUpstreamsRequestRateByDefault) {
    const Cluster cluster = load("").config->cluster;
    EXPECT_EQ(cluster.kube_client_qps, 5);
    EXPECT_EQ(cluster.kube_client_burst, 10);
    EXPECT_THAT(first_line("[cluster]\nkube_client_qps = 0\n"),
                HasSubstr("cluster.kube_client_qps: expected number 0.1..10000"));
    EXPECT_THAT(first_line("[cluster]\nkube_client_burst = 0\n"),
                HasSubstr("cluster.kube_client_burst: expected integer 1..10000"));
}

TEST_F(ConfigurationTest, RequiresBothTlsFilesOfTheAdminPort) {
    EXPECT_THAT(first_line("[admin]\ntls_key_file = \"/etc/tls/tls.key\"\n"),
                HasSubstr("admin: tls_certificate_file and tls_key_file must be set together"));
    const Loaded loaded = load(
        "[admin]\ntls_certificate_file = \"/etc/tls/tls.crt\"\n"
        "tls_key_file = \"/etc/tls/tls.key\"\nbearer_token_file = \"/etc/token\"\n");
    ASSERT_EQ(loaded.diagnostics.text(), "");
    EXPECT_EQ(loaded.config->admin.bearer_token_file, "/etc/token");
}

TEST_F(ConfigurationTest, IsNoDryRunByDefault) {
    EXPECT_FALSE(load("").config->cluster.dry_run);
    EXPECT_TRUE(load("[cluster]\ndry_run = true\n").config->cluster.dry_run);
    EXPECT_EQ(load("").config->cluster.memory_config_map_name, "capstan-memory");
}

TEST_F(ConfigurationTest, RefusesAnInvalidApiServer) {
    EXPECT_THAT(first_line("[cluster]\ncontext = \"prod\"\nkubeconfig = \"in-cluster\"\n"),
                HasSubstr("capstan.toml:2:11: cluster.context: a service account has no contexts"));
    EXPECT_THAT(first_line("[cluster]\nserver = \"10.0.0.1:6443\"\n"),
                HasSubstr("capstan.toml:2:10: cluster.server: expected a URL such as"));
    EXPECT_THAT(errors("[cluster]\nserver = \"https://admin:hunter2@api:6443\"\n"),
                Not(HasSubstr("hunter2")));
}

TEST_F(ConfigurationTest, WarnsAboutGrantedSecretsWithoutAFolder) {
    EXPECT_EQ(first_line("[plugin.aws]\ngrants = { secrets = [\"key\"] }\n"),
              "capstan.toml:2:22: warning: plugin.aws.grants.secrets: no secret can be found; set "
              "secrets.dir");
}

TEST_F(ConfigurationTest, WarnsAboutKeysWithoutEffect) {
    EXPECT_EQ(first_line("[scale_down]\nsimulation_timeout = \"1m\"\n"),
              "capstan.toml:2:1: warning: scale_down.simulation_timeout has no effect: "
              "decisions do not depend on the clock");
    for (const char* text : {"[scale_up]\nmax_nodegroup_binpacking_duration = \"1s\"\n",
                             "[scale_down]\nunremovable_node_recheck_timeout = \"1s\"\n",
                             "[scale_down]\nmax_bulk_soft_taint_time = \"1s\"\n"})
        EXPECT_THAT(first_line(text), HasSubstr(" has no effect: "));
    // No warning for the default, which `config print` writes.
    EXPECT_EQ(first_line("[scale_down]\nsimulation_timeout = \"30s\"\n"), "");
    EXPECT_EQ(first_line("[scale_down]\nunneeded_time = \"1m\"\n"), "");
}

TEST_F(ConfigurationTest, ReportsThePositionOfAnInvalidKubeGrant) {
    EXPECT_EQ(
        first_line("[plugin.aws]\ngrants = { kube = [\"pods:get\", \"nodes:read\"] }\n"),
        "capstan.toml:2:32: plugin.aws.grants.kube: 'nodes:read': \"read\" is not a verb: get, "
        "list, watch, create, update, patch, delete");
    EXPECT_EQ(first_line("[plugin.aws]\ngrants = { kube = [\"pods:get@shop\"] }\n"), "");
}

TEST_F(ConfigurationTest, SurvivesHostileFiles) {
    for (const std::string& text :
         {std::string(1 << 20, '['), std::string("\0\0\0", 3), std::string(1 << 20, 'a'),
          std::string("plugin.a.settings = {}\nplugin = 3"), std::string("[plugin.\"\"]\n")}) {
        EXPECT_GT(load(text).diagnostics.errors(), 0u);
    }
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "[plugin.p" + std::to_string(i) + "]\n";
    EXPECT_EQ(first_line(many), "capstan.toml:1:2: plugin: more than 1000 instances");
}

// The second step of loading: the settings of plugins, once their files are loaded.

TEST_F(ConfigurationTest, ChecksSettingsWithTheSchemaOfThePlugin) {
    Loaded loaded = load(example);
    const PluginConfig& labels = *loaded.config->find_plugin("labels");
    const Fields fields{
        {.key = "preset", .type = SettingType::enumeration, .allowed = {"generic", "gce"}},
        {.key = "ignored", .list = true}};
    EXPECT_FALSE(validate_plugin_settings(*loaded.config, labels, fields, loaded.diagnostics));
    EXPECT_EQ(loaded.diagnostics.text(),
              "capstan.toml:20:23: plugin.labels.settings.preset: expected one of \"generic\", "
              "\"gce\", found string \"aws\"\n"
              "    settings = { preset = \"aws\", ignore = [\"team\"] }\n"
              "                          ^^^^^\n"
              "capstan.toml:20:30: plugin.labels.settings: unknown key 'ignore'; did you mean "
              "'ignored'?\n"
              "    settings = { preset = \"aws\", ignore = [\"team\"] }\n"
              "                                 ^^^^^^\n");
}

TEST_F(ConfigurationTest, FillsInDefaultsForAPluginWithoutATable) {
    Loaded loaded = load("");
    const auto settings =
        validate_plugin_settings(*loaded.config, *loaded.config->find_plugin("random"),
                                 {{.key = "a", .default_toml = "\"b\""}}, loaded.diagnostics);
    EXPECT_EQ(settings->find("a")->text, "b");
}

TEST_F(ConfigurationTest, LetsSettingsNameOnlyGrantedSecrets) {
    Loaded loaded = load(example);
    const Config& config = *loaded.config;
    const Fields fields{{.key = "token", .type = SettingType::secret}};
    EXPECT_TRUE(validate_plugin_settings(config, *config.find_plugin("acme_score"), fields,
                                         loaded.diagnostics));
    PluginConfig other = *config.find_plugin("acme_score");
    other.grants.secrets = {"acme-tokens"};
    EXPECT_FALSE(validate_plugin_settings(config, other, fields, loaded.diagnostics));
    EXPECT_THAT(loaded.diagnostics.text(),
                HasSubstr("capstan.toml:27:22: plugin.acme_score.settings.token: secret "
                          "'acme-token' is not granted; add it to "
                          "plugin.acme_score.grants.secrets; did you mean 'acme-tokens'?\n"));
}

TEST_F(ConfigurationTest, LetsSettingsNameOnlyConfiguredInstances) {
    Loaded loaded = load("[plugin.aws]\nsettings = { near = \"randm\", next = \"random\" }\n");
    const Config& config = *loaded.config;
    const Fields fields{{.key = "near", .type = SettingType::instance},
                        {.key = "next", .type = SettingType::instance}};
    EXPECT_FALSE(
        validate_plugin_settings(config, *config.find_plugin("aws"), fields, loaded.diagnostics));
    EXPECT_EQ(loaded.diagnostics.errors(), 1u);
    EXPECT_THAT(
        loaded.diagnostics.text(),
        HasSubstr(
            "plugin.aws.settings.near: no plugin instance named 'randm'; did you mean 'random'?"));
}

TEST_F(ConfigurationTest, ChecksTheKindOfEveryNamedInstance) {
    Loaded loaded = load(
        "[pipeline]\nclouds = [\"random\"]\n[plugin.labels]\n[plugin.aws]\nsettings.next = "
        "\"labels\"\n");
    const Config& config = *loaded.config;
    const Fields fields{
        {.key = "next", .type = SettingType::instance, .instance_kind = "capstan.cloud/1"}};
    InstanceSettings settings;
    settings.emplace_back("aws", *validate_plugin_settings(config, *config.find_plugin("aws"),
                                                           fields, loaded.diagnostics));
    check_kinds(
        config, settings,
        [](const PluginInstanceId& id) -> std::string {
            if (id.value() == "node_groups") return "capstan.splitter/1";
            if (id.value() == "least_waste") return "";
            const bool is_check = id.value() == "resources" || id.value() == "labels";
            return is_check ? "capstan.similarity/1" : "capstan.expander/1";
        },
        loaded.diagnostics);
    EXPECT_EQ(loaded.diagnostics.text(),
              "capstan.toml:2:11: pipeline.clouds[0]: 'random' is of kind capstan.expander/1, "
              "expected capstan.cloud/1\n"
              "    clouds = [\"random\"]\n"
              "              ^^^^^^^^\n"
              "capstan.toml:4:9: warning: plugin.aws: unused instance; name it in "
              "[pipeline] or remove this table\n"
              "    [plugin.aws]\n"
              "            ^^^\n"
              "capstan.toml:5:17: plugin.aws.settings.next: 'labels' is of kind "
              "capstan.similarity/1, expected capstan.cloud/1\n"
              "    settings.next = \"labels\"\n"
              "                    ^^^^^^^^\n");
}

}  // namespace
}  // namespace capstan::config
