// The first pass of a simulation, before the scheduler has placed any pod, is the pass on its dump.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "../host/commands/shell.hpp"
#include "../host/commands/shipped_configs.hpp"
#include "autoscaler/dump/dump.hpp"
#include "autoscaler/dump/dump_pass.hpp"
#include "autoscaler/dump/label_preset.hpp"
#include "autoscaler/offline/prepare.hpp"
#include "autoscaler/record/pass_record.hpp"
#include "simulator/dump_input.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator {
namespace {

/// The record of the first pass, as a dry run would leave it.
class FirstPassRecord final : public Observer {
public:
    explicit FirstPassRecord(autoscaler::record::SetupRecord setup) : setup_(std::move(setup)) {}
    void on_decision(const autoscaler::PassReport& pass) override {
        if (!text_.empty()) return;
        autoscaler::PassInput input = pass.input;
        input.call_context.dry_run = true;
        text_ = autoscaler::record::pass_record_text(
            autoscaler::record::make_pass_record("test", setup_, input, pass.result));
    }
    const std::string& text() const { return text_; }

private:
    const autoscaler::record::SetupRecord setup_;
    std::string text_{};
};

/// The first difference with what is around it; empty: the texts are equal.
std::string difference(const std::string& simulated, const std::string& on_dump) {
    const auto [at, other] = std::ranges::mismatch(simulated, on_dump);
    if (at == simulated.end() && other == on_dump.end()) return {};
    const auto place = static_cast<std::size_t>(at - simulated.begin());
    const std::size_t from = place - std::min<std::size_t>(place, 300);
    return "simulated: " + simulated.substr(from, 600) + "\non dump: " + on_dump.substr(from, 600);
}

/// Compares both passes. `config`: a file; empty: the defaults.
void compare(const std::string& dump_file, const std::string& config) {
    config::ShippedPlugins shipped(commands::build_tree() / "lib/capstan/plugins");
    config::Loaded loaded = config.empty()
                                ? config::load_config(config::Source{"defaults", ""}, shipped)
                                : config::load_config(config, shipped);
    ASSERT_TRUE(loaded.config) << loaded.diagnostics.text();
    Result<autoscaler::dump::Dump> dump = autoscaler::dump::read_dump(dump_file, *loaded.config);
    ASSERT_TRUE(dump) << dump.error().message;
    autoscaler::dump::set_label_preset(*loaded.config, dump->label_preset);
    autoscaler::offline::leave_out_uncallable(*loaded.config, shipped, dump->clouds.empty());
    const auto prepared =
        autoscaler::offline::prepare(std::move(loaded), dump->clouds, std::move(shipped));
    ASSERT_TRUE(prepared->is_sound) << prepared->complaints;
    const config::Config& sound = prepared->sound_config();
    const auto setup = autoscaler::record::make_setup_record(sound, prepared->plugins);

    const auto pass = autoscaler::dump::decide_on_dump(*dump, sound, prepared->plugins, "test");
    ASSERT_TRUE(pass) << pass.error().message;
    const autoscaler::PassReport& report = *(*pass)->report;
    const std::string on_dump = autoscaler::record::pass_record_text(
        autoscaler::record::make_pass_record("test", setup, report.input, report.result));

    Input input = input_of(*dump);
    input.scan_interval = sound.cluster.scan_interval;
    input.scheduler = false;
    FirstPassRecord first(setup);
    const auto ran = run(
        input,
        {.config = sound, .plugins = prepared->plugins, .version = "test", .until = Duration(1)},
        first);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_GT(first.text().size(), 1000u);
    EXPECT_EQ(difference(first.text(), on_dump), "");
}

class FirstPassOfConfig
    : public ::testing::TestWithParam<std::tuple<commands::Shipped, const char*>> {};

TEST_P(FirstPassOfConfig, IsThePassOnTheDump) {
    const commands::Folder folder;
    const std::string file = std::get<0>(GetParam()).name;
    compare(std::get<1>(GetParam()), file.ends_with(".yaml")
                                         ? folder.write("capstan.toml", commands::config_in(file))
                                         : file);
}

INSTANTIATE_TEST_SUITE_P(Shipped, FirstPassOfConfig,
                         ::testing::Combine(::testing::ValuesIn(commands::shipped_configs),
                                            ::testing::Values(commands::eks, commands::gke)),
                         [](const auto& param) {
                             std::string name = std::get<0>(param.param).name;
                             name += std::get<1>(param.param) == commands::eks ? "_eks" : "_gke";
                             for (char& c : name)
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             return name;
                         });

/// Metadata and the rest of an object, with ' for ".
std::string object(const std::string& kind, const std::string& name, const std::string& rest,
                   const std::string& metadata = {}) {
    return "{'kind':'" + kind + "','metadata':{'namespace':'shop','name':'" + name + "','uid':'" +
           name + "','generation':1,'creationTimestamp':'2026-01-01T01:00:00Z'" + metadata + "}," +
           rest + "}";
}

std::string node(const std::string& name, const std::string& spec = "",
                 const std::string& ready = "True") {
    return "{'kind':'Node','metadata':{'name':'" + name +
           "','creationTimestamp':'2026-01-01T00:00:00Z','labels':{'agentpool':'web',"
           "'topology.kubernetes.io/zone':'a','node.kubernetes.io/instance-type':'m.4'}},"
           "'spec':{'providerID':'aws:///a/" +
           name + "'" + spec +
           "},'status':{'capacity':{'cpu':'4','memory':'16Gi','pods':'20'},'allocatable':{'cpu':"
           "'3920m','memory':'15Gi','pods':'20'},'conditions':[{'type':'Ready','status':'" +
           ready + "','lastTransitionTime':'2026-01-01T00:51:00Z'}]}}";
}

/// A pod that requests 1 core. `spec` and `metadata` begin with a comma.
std::string pod(const std::string& name, const std::string& spec = "",
                const std::string& metadata = "", const std::string& status = "'phase':'Pending'") {
    return object("Pod", name,
                  "'spec':{'containers':[{'resources':{'requests':{'cpu':'1'}}}]" + spec +
                      "},'status':{" + status + "}",
                  metadata);
}

std::string owned_by(const std::string& kind, const std::string& name) {
    return ",'labels':{'app':'" + name + "'},'ownerReferences':[{'apiVersion':'apps/v1','kind':'" +
           kind + "','name':'" + name + "','uid':'" + name + "','controller':true}]";
}

std::string on(const std::string& node) { return ",'nodeName':'" + node + "'"; }

std::string running(const std::string& name, const std::string& node, const std::string& metadata,
                    const std::string& status = "'phase':'Running'") {
    return pod(name, on(node), metadata, status);
}

std::string daemon_set(const std::string& name, const std::string& spec = "") {
    return object("DaemonSet", name,
                  "'spec':{'template':{'spec':{'containers':[{'resources':{'requests':{'cpu':"
                  "'200m'}}}]" +
                      spec + "}}}");
}

std::string budget(const std::string& name, const std::string& bound, const std::string& app) {
    return object("PodDisruptionBudget", name,
                  "'spec':{" + bound + ",'selector':{'matchLabels':{'app':'" + app +
                      "'}}},'status':{'disruptionsAllowed':7,'observedGeneration':1}");
}

/// The dump was taken at 02:00.
const std::string header =
    "{'kind':'CapstanDump','metadata':{'name':'dump','creationTimestamp':'2026-01-01T02:00:00Z'}}";

constexpr const char* not_ready =
    "'phase':'Running','conditions':[{'type':'Ready','status':"
    "'False'}]";

const std::string two_nodes = node("n1") + "," + node("n2");
const std::string web_set = object("ReplicaSet", "web", "'spec':{'replicas':4}");
const std::string web_pods = running("web-1", "n1", owned_by("ReplicaSet", "web")) + "," +
                             running("web-2", "n2", owned_by("ReplicaSet", "web")) + "," +
                             running("web-3", "n2", owned_by("ReplicaSet", "web"), not_ready);

/// A configuration whose own cloud has two machines, and a group without machines.
constexpr const char* own_cloud = R"(
[pipeline]
clouds = ["simulated"]
[[plugin.simulated.settings.groups]]
id = "web"
size = 2
max = 10
zone = "a"
machine = { type = "m.4", cpu = "4", memory = "16Gi" }
[[plugin.simulated.settings.groups]]
id = "big"
max = 3
machine = { type = "m.8", cpu = "8", memory = "32Gi" }
)";

struct SmallDump {
    const char* name;
    std::string items;
    std::string config{};
};

const std::vector<SmallDump>& small_dumps() {
    static const std::vector<SmallDump> out = {
        {"pods_that_wait",
         two_nodes + "," + pod("b") + "," + pod("a", ",'priority':5") + "," +
             pod("gated", ",'schedulingGates':[{'name':'x'}]") + "," +
             pod("low", ",'priority':-20") + "," +
             pod("nominated", "", "", "'phase':'Pending','nominatedNodeName':'n1'") + "," +
             pod("deleted", "", ",'deletionTimestamp':'2026-01-01T01:30:00Z'")},
        {"pods_without_uid",
         "{'kind':'Pod','metadata':{'namespace':'default','name':'bare','creationTimestamp':'2026-"
         "01-01T00:10:00Z'},"
         "'spec':{'containers':[]},'status':{}},{'kind':'Pod','metadata':{'namespace':'default','"
         "name':'bound'},'spec':{'containers':[],'nodeName':"
         "'n1'},'status':{'phase':'Running'}}," +
             two_nodes},
        {"pods_that_ended", two_nodes + "," + running("done", "n1", "", "'phase':'Succeeded'") +
                                "," + running("lost", "n1", "", "'phase':'Failed'") + "," +
                                web_pods},
        {"pods_of_unknown_nodes", two_nodes + "," + web_set + "," + web_pods + "," +
                                      running("web-4", "gone", owned_by("ReplicaSet", "web")) +
                                      "," + budget("web", "'minAvailable':1", "web")},
        {"terminating_pods", header + "," + two_nodes + "," + web_set + "," + web_pods + "," +
                                 running("web-4", "n1",
                                         owned_by("ReplicaSet", "web") +
                                             ",'deletionTimestamp':'2026-01-01T01:30:00Z'") +
                                 "," +
                                 running("web-5", "n1",
                                         owned_by("ReplicaSet", "web") +
                                             ",'deletionTimestamp':'2026-01-01T02:30:00Z'") +
                                 "," + budget("web", "'maxUnavailable':2", "web")},
        {"terminating_pod_of_a_daemon_set",
         header + "," + two_nodes + "," + daemon_set("logs") + "," +
             running(
                 "logs-1", "n1",
                 owned_by("DaemonSet", "logs") + ",'deletionTimestamp':'2026-01-01T01:30:00Z'")},
        {"daemon_set_missing_on_a_node",
         two_nodes + "," + node("n3", ",'unschedulable':true") + "," +
             node("n4", ",'taints':[{'key':'team','value':'red','effect':'NoSchedule'}]") + "," +
             daemon_set("logs") + "," + daemon_set("net", ",'nodeSelector':{'pool':'other'}") +
             "," + running("logs-1", "n1", owned_by("DaemonSet", "logs")) + "," + pod("x")},
        {"daemon_set_pod_that_waits_for_its_node",
         two_nodes + "," + daemon_set("logs") + "," +
             pod("logs-1",
                 ",'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
                 "'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In',"
                 "'values':['n1']}]}]}}}",
                 owned_by("DaemonSet", "logs")) +
             "," + pod("x")},
        {"daemon_set_that_does_not_fit",
         node("n1") + "," + daemon_set("logs") + "," + running("a", "n1", "") + "," +
             running("b", "n1", "") + "," + running("c", "n1", "") + "," + pod("x") + "," +
             daemon_set("big", ",'priority':7") + "," + daemon_set("huge", ",'priority':9") + "," +
             daemon_set("more") + "," + daemon_set("most")},
        {"budgets_by_numbers", two_nodes + "," + web_set + "," + web_pods + "," +
                                   budget("least", "'minAvailable':1", "web") + "," +
                                   budget("most", "'maxUnavailable':1", "web") + "," +
                                   budget("never", "'maxUnavailable':0", "web") + "," +
                                   budget("none", "'minAvailable':1", "nobody")},
        {"budgets_by_percentage", two_nodes + "," + web_set + "," + web_pods + "," +
                                      budget("least", "'minAvailable':'40%'", "web") + "," +
                                      budget("most", "'maxUnavailable':'60%'", "web") + "," +
                                      budget("all", "'minAvailable':'100%'", "web")},
        {"budgets_without_a_controller_object",
         two_nodes + "," + web_pods + "," + budget("most", "'maxUnavailable':'40%'", "web") + "," +
             running("j-1", "n1", owned_by("Job", "job")) + "," +
             budget("job", "'maxUnavailable':1", "job") + "," + running("naked", "n1", "") + "," +
             running("l-1", "n1", owned_by("DaemonSet", "logs")) + "," +
             budget("logs", "'maxUnavailable':1", "logs")},
        {"budget_of_a_daemon_set", two_nodes + "," + daemon_set("logs") + "," +
                                       budget("logs", "'minAvailable':1", "logs") + "," +
                                       running("l-1", "n1", owned_by("DaemonSet", "logs"))},
        {"nodes_that_are_not_ready", node("n1", "", "False") + "," + node("n2", "", "Unknown") +
                                         "," + node("n3") + "," + web_set + "," + web_pods + "," +
                                         daemon_set("logs") + "," +
                                         budget("web", "'minAvailable':1", "web")},
        {"a_cordoned_node", node("n1", ",'unschedulable':true") + "," + node("n2") + "," + web_set +
                                "," + web_pods + "," + pod("x")},
        {"a_stateful_set", two_nodes + "," + object("StatefulSet", "db", "'spec':{'replicas':2}") +
                               "," + running("db-0", "n1", owned_by("StatefulSet", "db")) + "," +
                               pod("db-1", "", owned_by("StatefulSet", "db")) + "," +
                               budget("db", "'maxUnavailable':1", "db")},
        {"a_deployment_without_pods",
         two_nodes + "," + object("Deployment", "web", "'spec':{'replicas':0,'template':{}}") +
             "," + web_pods},
        {"two_specs_of_one_owner",
         two_nodes + "," + web_set + "," + web_pods + "," +
             pod("web-7", ",'priority':3", owned_by("ReplicaSet", "web")) + "," +
             pod("web-8", "", owned_by("ReplicaSet", "web"))},
        {"volumes",
         two_nodes + "," +
             "{'kind':'CSINode','metadata':{'name':'n1'},'spec':{'drivers':[{'name':"
             "'ebs','allocatable':{'count':2}}]}}," +
             object("PersistentVolumeClaim", "data", "'spec':{'storageClassName':'gp3'}") + "," +
             "{'kind':'StorageClass','metadata':{'name':'gp3'},'provisioner':'ebs',"
             "'volumeBindingMode':'WaitForFirstConsumer'}," +
             pod("x", ",'volumes':[{'name':'data','persistentVolumeClaim':{'claimName':'data'}}]")},
        {"spread_and_services",
         two_nodes + "," + object("Service", "web", "'spec':{'selector':{'app':'web'}}") + "," +
             web_set + "," + web_pods + "," +
             pod("x",
                 ",'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':"
                 "'topology.kubernetes.io/zone','whenUnsatisfiable':'DoNotSchedule',"
                 "'labelSelector':{'matchLabels':{'app':'web'}}}]",
                 ",'labels':{'app':'web'},'annotations':{'zalando.org/topology-spread-timeout':"
                 "'10m'}")},
        {"machines_of_the_configuration",
         two_nodes + "," + web_set + "," + web_pods + "," + daemon_set("logs") + "," + pod("x") +
             ",{'kind':'CSINode','metadata':{'name':'n1'},'spec':{'drivers':[{'name':'ebs',"
             "'allocatable':{'count':2}}]}}",
         own_cloud},
        {"priorities_of_a_config_map",
         two_nodes + "," + pod("x") +
             ",{'kind':'ConfigMap','apiVersion':'v1','metadata':{'namespace':'kube-system','name':"
             "'tiers'},'data':{'priorities':'10:\\n  - web.*\\n'}},{'kind':'ConfigMap',"
             "'apiVersion':'v1','metadata':{'namespace':'shop','name':'tiers'},'data':"
             "{'priorities':'20:\\n  - .*\\n'}}",
         "[pipeline.scale_up]\nexpanders = [\"priority\", \"random\"]\n[plugin.priority]\n"
         "grants = { kube = [\"configmaps:list,watch@kube-system\"] }\n"
         "settings = { config_map = \"kube-system/tiers\" }\n"},
        {"priorities_without_the_config_map", two_nodes + "," + pod("x"),
         "[pipeline.scale_up]\nexpanders = [\"priority\", \"random\"]\n[plugin.priority]\n"
         "grants = { kube = [\"configmaps:list,watch@kube-system\"] }\n"
         "settings = { config_map = \"kube-system/tiers\" }\n"}};
    return out;
}

TEST(FirstPass, IsThePassOnASmallDump) {
    for (const SmallDump& dump : small_dumps()) {
        SCOPED_TRACE(dump.name);
        const commands::Folder folder;
        std::string text = "{'kind':'List','apiVersion':'v1','items':[" + dump.items + "]}";
        std::ranges::replace(text, '\'', '"');
        compare(folder.write("dump.json", text),
                dump.config.empty() ? "" : folder.write("capstan.toml", dump.config));
    }
}

TEST(FirstPass, IsThePassOnTheGoldenDump) { compare("tests/golden/inputs/objects.json", ""); }

TEST(FirstPass, CountsMachinesThatAreStillToCome) {
    const commands::Folder folder;
    std::string text = commands::text_of_file(commands::eks);
    const std::string from = R"(cloudProviderTarget: 3\n    minSize: 3)";
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), R"(cloudProviderTarget: 5\n    minSize: 3)");
    compare(folder.write("dump.json", text), "examples/aws.toml");
}

}  // namespace
}  // namespace capstan::simulator
