// Messages of the shipped binary about common mistakes: what was attempted, on what, the result,
// and what to do.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gmock/gmock.h>

#include <iterator>

#include "shell.hpp"

namespace capstan::commands {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

int count_of(const std::string& text, const std::string& part) {
    int out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++out;
    return out;
}

/// A text, and a part of the message about it.
struct Mistake {
    const char *text, *message;
};

/// Each is reported by `config check` as one error.
constexpr Mistake configuration_errors[] = {
    // names
    {"[pipeline]\nclouds = [\"azure\"]",
     ":2:11: pipeline.clouds[0]: no plugin instance named 'azure'; shipped plugins of kind "
     "cloud: aws, external_grpc, gce, simulated\n"},
    {"[pipeline.scale_up]\nexpanders = [\"cheapest\"]",
     "named 'cheapest'; shipped plugins of kind expander: grpc_expander, label_priority, "
     "least_nodes, least_waste, most_pods, price, priority, random\n"},
    {"[pipeline.scale_up]\nexpanders = [\"least-waste\"]", "; did you mean 'least_waste'?"},
    {"[pipeline]\ncontrollers = [\"least_waste\"]",
     "'least_waste' is of kind capstan.expander/1, expected capstan.controller/1"},
    {"[plugin.nothere]",
     ":1:9: plugin.nothere: there is no shipped plugin 'nothere'; set 'file'\n"},
    {"[pipeline.scale_up]\nsimilarity = [\"labels\", \"labels\"]", ": duplicate 'labels'"},
    // keys
    {"[reload]\nfollow = true", "reload: unknown key 'follow'; the only key is watch\n"},
    {"[log]\ncolour = 1", "log: unknown key 'colour'; the keys are level, format, per_plugin\n"},
    {"[scale_down]\nflarb = 1",
     "unknown key 'flarb'; `capstan config explain scale_down` lists its keys\n"},
    {"[scale_down]\nunneded_time = \"10m\"", "; did you mean 'unneeded_time'?"},
    {"[scaledown]\nenabled = true", "unknown key 'scaledown'; did you mean 'scale_down'?"},
    {"[scale_up]\nunneeded_time = \"10m\"", "; it belongs in [scale_down]\n"},
    {"[pipeline]\nclouds = [\"simulated\"]\n[plugin.simulated]\n"
     "settings.groups = [{ id = \"a\", flarb = 3, machine = { cpu = \"1\", memory = \"1Gi\" } }]",
     "groups[0]: unknown key 'flarb'; the keys are id, "},
    {"[pipeline]\nclouds = [\"simulated\"]\n[plugin.simulated]\nregister_nodes = true",
     "; settings of the plugin belong in plugin.simulated.settings\n"},
    // upstream's names of keys
    {"[scale_down]\nscale_down_utilization_threshold = 0.6",
     "; the key for upstream's --scale-down-utilization-threshold is "
     "scale_down.utilization_threshold\n"},
    {"[scale_down]\nscale-down-unneeded-time = \"5m\"",
     "; the key for upstream's --scale-down-unneeded-time is scale_down.unneeded_time\n"},
    {"[scale_down]\nmax_scale_down_parallelism = 5", " is scale_down.max_parallelism\n"},
    {"memory-total = \"0:64\"", " is limits.memory (in GiB: 0:64 is { max = \"64Gi\" })\n"},
    {"[pipeline]\nexpander = \"priority\"",
     " is pipeline.scale_up.expanders (priority,least-waste is [\"priority\", \"least_waste\"])\n"},
    {"[pipeline]\nestimator = \"binpacking\"",
     "; no key replaces upstream's --estimator: always binpacking\n"},
    {"[pipeline.scale_up]\nbalance-similar-node-groups = true", " is scale_up.balance_similar\n"},
    {"[cluster]\nv = 4", "; the key for upstream's --v is log.level (a word: 4 is \"debug\")\n"},
    {"[scale_up]\nenable-provisioning-requests = true",
     "--enable-provisioning-requests: ProvisioningRequests are not supported\n"},
    // values in upstream's form
    {"[pipeline.scale_up]\nexpanders = \"priority,least-waste\"",
     "; write [\"priority\", \"least_waste\"]\n"},
    {"[pipeline]\nclouds = \"simulated\"", "; write [\"simulated\"]\n"},
    {"[limits]\ncpu = \"0:2000\"", "; write { min = \"0\", max = \"2000\" }\n"},
    {"[limits]\nmemory = \"0:64\"", "; write { min = \"0Gi\", max = \"64Gi\" }\n"},
    {"[limits]\nnodes = 100", "; write { max = \"100\" }\n"},
    {"[limits]\ngpu_types = \"nvidia-tesla-t4:0:2\"",
     "; write { nvidia-tesla-t4 = { min = \"0\", max = \"2\" } }\n"},
    {"[limits]\ngpu_types = [\"nvidia.com/gpu:0:16\"]",
     "; write { \"nvidia.com/gpu\" = { min = \"0\", max = \"16\" } }\n"},
    {"[limits]\ngpu_types = { \"nvidia-tesla-t4:0:2\" = { max = \"2\" } }",
     ": neither the name of a resource nor a value of a GPU label\n"},
    {"[scale_up]\nstartup_taint = \"node.example/starting\"",
     "; write [\"node.example/starting\"]\n"},
    // values
    {"[cluster]\nname = prod",
     ":2:8: Error while parsing value: could not determine value type; text needs quotes\n"},
    {"[scale_down]\nunneeded_time = 10m", "; text needs quotes\n"},
    {"[cluster]\nname = 5", ":2:8: cluster.name: expected string, found integer 5\n"},
    {"[cluster]\nkube_client_qps = 0", ": expected number 0.1..10000, found integer 0\n"},
    {"[cluster]\nscan_interval = \"10 sec\"", ": missing or unknown unit, expected ns, us, ms, "},
    {"[cluster]\nscan_interval = 10", "expected duration such as \"90s\" or \"1h30m\""},
    {"[scale_down]\ndelay_after_add = \"-1m\"", " of at least 0s, found string \"-1m\"\n"},
    {"[scale_down]\nutilization_threshold = 60", ": expected number 0..1, found integer 60\n"},
    {"[scale_down]\nenabled = \"yes\"", ": expected boolean, found string \"yes\"\n"},
    {"[log]\nlevel = \"loud\"",
     ": expected one of \"trace\", \"debug\", \"info\", \"warn\", \"error\", found string "},
    {"[log]\nlevel = \"wran\"", "; did you mean 'warn'?"},
    {"[limits]\ncpu = { max = \"many\" }", ": limits.cpu.max: quantity \"many\": no number\n"},
    {"[limits]\nnodes = { min = \"9\", max = \"5\" }", ": min 9 is greater than max 5\n"},
    {"[admin]\nlisten = \"nowhere\"", ": expected HOST:PORT with an IP address, found \"nowhere\""},
    {"[admin]\ntls_key_file = \"/k\"",
     "admin: tls_certificate_file and tls_key_file must be set together\n"},
    {"[cluster]\nkubeconfig = \"in-cluster\"\ncontext = \"prod\"",
     "cluster.context: a service account has no contexts; set cluster.kubeconfig to a file\n"},
    {"[cluster]\nserver = \"api.example\"", "cluster.server: expected a URL such as "},
    {"[cluster]\nscan_interval = \"1ms\"", "cluster.scan_interval: must be at least \"100ms\"\n"},
    {"[cluster]\nleader_election = { renew_deadline = \"1h\" }",
     "1.2 times retry_period must be shorter than renew_deadline"},
    {"[scale_down]\ndrain_rules_off = [\"local_storge\"]", "; did you mean 'local_storage'?"},
    {"[scale_up]\nbalance_similar = true\n[pipeline.scale_up]\nsimilarity = []",
     "true needs similarity checks; remove similarity = [] from [pipeline.scale_up]\n"},
    {"[trust]\nsearch_paths = [\"plugins\"]", "trust.search_paths[0]: not an absolute path\n"},
    // plugins
    {"[pipeline]\nclouds = [\"simulated\"]\n[plugin.simulated]\n"
     "grants = { kube = [\"nodes:fly\"] }",
     "\"fly\" is not a verb: get, list, watch, create, update, patch, delete\n"},
    {"[pipeline]\nclouds = [\"aws\"]",
     "no groups configured: set `discovery` (by tags) or `groups` (by name)\n"},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"x\"]\n"
     "settings = { regoin = \"eu-central-1\", groups = [\"0:5:web\"] }",
     "unknown key 'regoin'; did you mean 'region'?"},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"x\"]\n"
     "settings = { groups = [\"5:0:web\"] }",
     "plugin.aws.settings.groups[0]: "},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"x\"]\nsettings = { groups = "
     "[\"0:5:web\"], credentials = { access_key_id = \"AKIA\" } }",
     "access_key_id and secret_access_key must be set together\n"},
    {"[pipeline]\nclouds = [\"gce\"]\n[plugin.gce]\ngrants.http = [\"x\"]\n"
     "settings = { discovery = [\"gke-prod\"] }",
     "plugin.gce.settings.discovery[0]: "},
    {"[pipeline.scale_up]\nexpanders = [\"priority\"]\n[plugin.priority]\n"
     "settings = { priorities = { \"10\" = [\"(\"] } }",
     "priorities.10: regular expression \"(\": missing ): (\n"},
    {"[plugin.acme]\nfile = \"/nowhere/acme.so\"",
     "plugin /nowhere/acme.so: cannot be opened: No such file or directory\n"},
    // syntax
    {"[log]\nlevel = \"info\"\nlevel = \"warn\"",
     ":3:9: Error while parsing key-value pair: cannot redefine existing string 'level'\n"},
    {"[cluster]\nname = \"prod", ":2:"},
    {"[cluster\nname = \"prod\"", ":1:"},
};

TEST(CommandLineMistakes, AreReportedOnceForAConfiguration) {
    const Folder folder;
    for (const auto& each : configuration_errors) {
        const std::string file = folder.write("capstan.toml", each.text);
        const CommandResult ran = capstan("config check '" + file + "'");
        EXPECT_EQ(ran.code, 2) << each.text;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.text;
        EXPECT_THAT(ran.err, HasSubstr(": 1 error\n")) << each.text;
        EXPECT_EQ(count_of(ran.err, file + ":") - count_of(ran.err, "warning: "), 2)
            << "once in the message and once in the total: " << ran.err;
    }
}

/// Each is reported by `config check` as a warning.
constexpr Mistake configuration_warnings[] = {
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\nsettings = { groups = [\"0:5:web\"] }",
     ":3:9: warning: plugin.aws: has no http grant: it can reach nothing; name the hosts that it "
     "needs in plugin.aws.grants.http\n"},
    {"[pipeline]\nclouds = [\"external_grpc\"]\n[plugin.external_grpc]\n"
     "settings = { address = \"https://grpc.example:8086\" }",
     "plugin.external_grpc: has no http grant: it can reach nothing"},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"x\"]\n"
     "settings = { region = \"eu-central-l\", groups = [\"0:5:web\"] }",
     ":5:23: warning: plugin.aws.settings.region: unknown region \"eu-central-l\"; similar: "
     "eu-central-1, eu-central-2\n"},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"*.REGION.amazonaws.com\"]\n"
     "settings = { groups = [\"0:5:web\"] }",
     "plugin.aws.grants.http: REGION is a placeholder; replace it by a value\n"},
    {"[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"x\"]\n"
     "settings = { discovery = [\"k8s.io/cluster-autoscaler/CLUSTER\"] }",
     "plugin.aws.settings.discovery: CLUSTER is a placeholder"},
    {"[cluster]\nname = \"${CLUSTER_NAME}\"", "cluster.name: CLUSTER_NAME is a placeholder"},
    {"[cluster]\nname = \"<your cluster>\"", "cluster.name: <your cluster> is a placeholder"},
    {"[pipeline]\nclouds = [\"gce\"]\n[plugin.gce]\ngrants.http = [\"x\"]\n"
     "settings = { groups = [\"0:5:https://www.googleapis.com/compute/v1/projects/p/zones/"
     "us-central1-a/instanceGroups/n\"], locations = [\"us-centrall-a\"] }",
     "plugin.gce.settings.locations: unknown location \"us-centrall-a\"; similar: us-central1\n"},
    {"[pipeline]\nclouds = [\"simulated\"]\n[limits]\ngpu_types = { nvidia-tesla-t5 = { max = "
     "\"2\" "
     "} }\n[plugin.simulated]\nsettings.groups = [{ id = \"a\", machine = { cpu = \"1\", memory = "
     "\"1Gi\", gpu = 1, labels = { accelerator = \"nvidia-tesla-t4\" } } }]",
     "limits.gpu_types.nvidia-tesla-t5 limits nothing: no node group has such GPUs; did you mean "
     "'nvidia-tesla-t4'?"},
    {"[plugin.price]", "plugin.price: unused instance; name it in [pipeline] or remove this table"},
    {"[scale_down]\nunremovable_node_recheck_timeout = \"1m\"", "has no effect"},
};

TEST(CommandLineMistakes, AreWarningsIfTheConfigurationIsValid) {
    const Folder folder;
    for (const auto& each : configuration_warnings) {
        const std::string file = folder.write("capstan.toml", each.text);
        const CommandResult ran = capstan("config check '" + file + "'");
        EXPECT_EQ(ran.code, 0) << each.text << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.text;
        EXPECT_EQ(count_of(ran.err, file + ":"), 1) << each.text << ran.err;
    }
}

TEST(CommandLineMistakes, AreNoneInValidConfigurations) {
    const char* const valid[] = {
        "",
        "[pipeline.scale_up]\nexpanders = [\"random\"]",
        "[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = "
        "[\"*.us-west-2.amazonaws.com\"]\n"
        "settings = { region = \"us-west-2\", groups = [\"0:5:web\"] }",
        "[pipeline]\nclouds = [\"aws\"]\n[plugin.aws]\ngrants.http = [\"localhost\"]\n"
        "settings = { region = \"local\", endpoint_url = \"http://localhost:1\", groups = "
        "[\"0:5:web\"] }",
        "[pipeline]\nclouds = [\"aws\"]\n[limits]\ngpu_types = { nvidia-tesla-t4 = { max = \"2\" } "
        "}\n"
        "[plugin.aws]\ngrants.http = [\"x\"]\nsettings = { groups = [\"0:5:web\"] }",
    };
    const Folder folder;
    for (const char* text : valid) {
        const std::string file = folder.write("capstan.toml", text);
        const CommandResult ran = capstan("config check '" + file + "'");
        EXPECT_EQ(ran.code, 0) << text << ran.err;
        EXPECT_EQ(ran.err, "") << text;
    }
}

/// Each is a command line that is refused.
constexpr Mistake command_lines[] = {
    {"", "capstan: missing command: run, plan, doctor, "},
    {"dance", "capstan: unknown command 'dance'; commands are run, plan, doctor, "},
    {"simulat", "unknown command 'simulat'; did you mean 'simulate'?"},
    {"config chek", "capstan config: unknown command 'chek'; did you mean 'check'?"},
    {"config", "capstan config: missing command: check, print, explain, schema\n"},
    {"plugin verfy", "unknown command 'verfy'; did you mean 'verify'?"},
    {"run --confg x", "capstan run: unknown option '--confg'; did you mean '--config'?"},
    {"run", "capstan run: --config is required\n"},
    {"run --config", "capstan run: --config needs a value: FILE\n"},
    {"run capstan.toml",
     "unexpected argument 'capstan.toml'; the configuration file is given as --config FILE\n"},
    {"plan -f capstan.toml", "capstan.toml: cannot be read: No such file or directory\n"},
    {"run -f capstan.toml",
     "unknown option '-f'; the configuration file is given as --config FILE\n"},
    {"run --scale-down-unneeded-time=5m",
     "unknown option '--scale-down-unneeded-time=5m'; the key for upstream's "
     "--scale-down-unneeded-time is scale_down.unneeded_time\n"},
    {"run --cloud-provider=aws",
     "; the key for upstream's --cloud-provider is pipeline.clouds (a list, such as [\"aws\"])\n"},
    {"run --v=4", "; the key for upstream's --v is log.level (a word: 4 is \"debug\")\n"},
    {"run --stderrthreshold=info", "; the key for upstream's --stderrthreshold is log.level ("},
    {"run --feature-gates=A=true", "; no key replaces upstream's --feature-gates: "},
    {"run --gpu-total=nvidia-tesla-t4:0:2",
     " is limits.gpu_types (nvidia-tesla-t4:0:2 is { \"nvidia-tesla-t4\" = { max = \"2\" } })\n"},
    {"plan -c x --log-level loud",
     "--log-level: expected trace, debug, info, warn or error, not 'loud'\n"},
    {"doctor -c x -o xml", "--output: expected text, wide, json or yaml, not 'xml'\n"},
    {"version -o jsn", "not 'jsn'; did you mean 'json'?"},
    {"--color=pink version", "--color: expected auto, always or never, not 'pink'\n"},
    {"plan -c x --set scale_up", "x: No such file or directory\n"},
    {"plan -c examples/capstan.toml --set scale_up.bakoff=1m",
     "--set scale_up.bakoff=1m: scale_up: unknown key 'bakoff'; did you mean 'backoff'?"},
    {"plan -c examples/capstan.toml --set limits.cpu=0:20",
     "--set limits.cpu=0:20: limits.cpu: expected table, found string \"0:20\"; write { min = "
     "\"0\", max = \"20\" }\n"},
    {"simulate", "capstan simulate: one of these options is required: --cluster, --trace, "},
    {"simulate nothere.toml", "nothere.toml: No such file or directory\n"},
    {"simulate examples", "examples: not a regular file\n"},
    {"simulate examples/three_zones.toml --until never",
     "--until: expected a duration such as \"2h\"\n"},
    {"simulate examples/three_zones.toml --chaos --seeds 0",
     "--seeds: expected an integer of at least 1, not '0'\n"},
    {"simulate examples/three_zones.toml --seed abc", "--seed = abc is not a number\n"},
    {"simulate examples/three_zones.toml --seeds 2", "--seeds needs --chaos\n"},
    {"simulate examples/three_zones.toml --minutes 2", "--minutes needs --chaos\n"},
    {"simulate examples/three_zones.toml --jobs 2", "--jobs needs --chaos\n"},
    {"simulate examples/three_zones.toml --breaks .", "--breaks needs --chaos\n"},
    {"simulate examples/three_zones.toml --chaos --seeds 2 --minutes 2",
     "--seeds and --minutes cannot be used together\n"},
    {"simulate examples/three_zones.toml --chaos --until 1h",
     "--until and --chaos cannot be used together\n"},
    {"simulate --trace examples", "examples"},
    {"simulate --trace nothere", "nothere"},
    {"simulate examples/three_zones.toml --set scale_up.backoff",
     "--set scale_up.backoff: expected KEY=VALUE, such as "},
    {"simulate examples/three_zones.toml --report /nowhere/r.html",
     "/nowhere/r.html: cannot be written: no such folder: /nowhere\n"},
    {"explain", "capstan explain: kind is required\n"},
    {"explain pod -f a.json", "the name of the pod is missing"},
    {"explain pod web", "capstan explain: one of these options is required: --cluster, --trace, "},
    {"explain pod web -f a.json --server http://x", "only one of these options is allowed: "},
    {"explain pid web -f a.json", "unknown kind 'pid'; did you mean 'pod'?"},
    {"explain pod shop/web -n test -f a.json",
     "'shop/web' is not in the namespace of --namespace, test"},
    {"explain matrix web -f a.json", "'web' was not expected: matrix covers all pods and groups"},
    {"explain pod a/b --server localhost:1",
     "--server localhost:1: URL: does not begin with http:// or https://"},
    {"explain pod a/b --live", "--live needs --config\n"},
    {"explain pod a/b -f a.json --context prod", "--context needs --live\n"},
    {"explain pod a/b -f a.json --token-file t", "--token-file needs --server\n"},
    {"explain pod a/b -f examples/three_zones.toml --at never",
     "--at: expected a duration such as \"20m\" or a time such as \"2026-11-21T10:50:00Z\"\n"},
    {"replay nothere.json", "nothere.json: cannot be read: No such file or directory\n"},
    {"replay examples", "examples: cannot be read: Is a directory\n"},
    {"pipeline -c examples/capstan.toml --ask nothere.json",
     "nothere.json: cannot be read: No such file or directory\n"},
    {"dump", "capstan dump: file is required\n"},
    {"dump d.json --kubeconfig nothere", "kubeconfig: nothere: cannot be read: No such file"},
    {"crd install --kubeconfig nothere", "kubeconfig: nothere: cannot be read: No such file"},
    {"plan -c examples/kwok.toml --kubeconfig nothere",
     "kubeconfig: nothere: cannot be read: No such file"},
    {"config check nothere.toml", "nothere.toml: No such file or directory\n"},
    {"config check examples", "examples: not a regular file\n"},
    {"config explain unneeded_time",
     "no key 'unneeded_time'; did you mean scale_down.unneeded_time?"},
    {"config explain unneded_time", "; did you mean scale_down.unneeded_time?"},
    {"config explain leader_election.lease", "; did you mean cluster.leader_election.lease?"},
    {"config explain call_deadline", "; did you mean plugin.ID.limits.call_deadline?"},
    {"config explain scale_down.unneded_time", "in scale_down; did you mean 'unneeded_time'?"},
    {"config explain clustr", "did you mean 'cluster'?"},
    {"config explain --scale-down-unneded-time", "; did you mean scale_down.unneeded_time?"},
    {"config explain plugin.aws.settings.region", "use --config with a file that has it"},
    {"plugin new Bad-Name --kind expander", "must begin with a lower-case letter"},
    {"plugin call x.so --kind expandr", "; did you mean 'expander'?"},
};

TEST(CommandLineMistakes, AreAnsweredOnOneScreen) {
    for (const auto& each : command_lines) {
        const CommandResult ran = capstan(each.text);
        EXPECT_EQ(ran.code, 2) << each.text << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.text;
        EXPECT_LE(count_of(ran.err, "\n"), 4) << each.text << ran.err;
        EXPECT_EQ(ran.out, "") << each.text;
    }
}

/// A command about a file with this text; FILE in the line stands for it.
struct FileMistake {
    const char *line, *text, *message;
};
constexpr const char* empty_file =
    ": the file is empty; the command that writes it may have failed\n";
constexpr const char* no_toml =
    "; configurations and scenarios are TOML, cluster dumps are JSON, as from kubectl get ... -o "
    "json\n";
constexpr FileMistake file_mistakes[] = {
    {"simulate FILE", "", empty_file},
    {"simulate FILE", "\n  \n", empty_file},
    {"simulate --cluster FILE", "", empty_file},
    {"explain pod a/b -f FILE", "", empty_file},
    {"explain pod a/b --scenario FILE", "", empty_file},
    {"explain pod a/b --recorded FILE", "", "is empty, expected a JSON object\n"},
    {"replay FILE", "", "is empty, expected a JSON object\n"},
    {"cluster FILE", "", empty_file},
    {"simulate --cluster FILE", "apiVersion: v1\nitems:\n- kind: Node\n",
     "is YAML; expects JSON, as from kubectl get ... -o json\n"},
    {"simulate FILE", "NAME    READY   STATUS\nweb-1   1/1     Running\n", "is a table of kubectl"},
    {"simulate --cluster FILE", "NAMESPACE   NAME    READY\nshop        web-1   1/1\n",
     "is a table of kubectl; expects JSON, as from kubectl get ... -o json\n"},
    {"simulate --cluster FILE", "[cluster]\nname = \"x\"\n", "is TOML; expects JSON"},
    {"simulate --cluster FILE", "<!DOCTYPE html>\n<html>", "is HTML; expects JSON"},
    {"simulate --cluster FILE", "{\"apiVersion\": \"v1\", \"items\": [", ": line 1, column "},
    {"simulate --cluster FILE", "{}",
     ": has neither nodes nor pods; to dump all kinds, use capstan"},
    {"simulate --cluster FILE",
     R"({"apiVersion":"v1","items":[{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}]})",
     ": has no pods; to dump all kinds, use capstan dump"},
    {"config check FILE", "cluster:\n  name: prod\n", "is YAML"},
    {"config check FILE", "{\"cluster\": {\"name\": \"prod\"}}\n", "is JSON"},
    {"config check FILE", "<html>\n", no_toml},
    {"replay FILE", R"({"apiVersion":"v1","items":[]})",
     ": is a cluster dump, not a recorded pass: use `capstan explain --cluster`, or record passes"},
    {"plan -c FILE --kubeconfig nothere", "[cluster]\nkubeconfig = \"in-cluster\"\n",
     "kubeconfig: nothere: cannot be read: No such file"},
    {"explain pod a/b --server http://127.0.0.1:9 --token-file FILE", "", empty_file},
};

TEST(CommandLineMistakes, AreRecognizedInFiles) {
    const Folder folder;
    for (const auto& each : file_mistakes) {
        const std::string file = folder.write("file", each.text);
        std::string line = each.line;
        line.replace(line.find("FILE"), 4, "'" + file + "'");
        const CommandResult ran = capstan(line);
        EXPECT_EQ(ran.code, 2) << each.line << each.text << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(each.message)) << each.line << each.text;
        EXPECT_EQ(count_of(ran.err, "syntax error"), 0) << ran.err;
    }
}

TEST(CommandLineMistakes, AreAtLeastAHundred) {
    EXPECT_GE(std::size(configuration_errors) + std::size(configuration_warnings) +
                  std::size(command_lines) + std::size(file_mistakes),
              100u);
}

TEST(CommandLineMistakes, NameTheReasonIfAFileMayNotBeRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
    const Folder folder;
    const std::string file = folder.write("capstan.toml", "");
    std::filesystem::permissions(file, std::filesystem::perms::none);
    EXPECT_THAT(capstan("config check '" + file + "'").err, HasSubstr("Permission denied"));
    EXPECT_THAT(capstan("simulate --cluster '" + file + "'").err, HasSubstr("Permission denied"));
}

TEST(CommandLineMistakes, AreReportedWithTheOption) {
    const char* const command = "simulate examples/three_zones.toml --set ";
    const struct {
        const char* set;
        const char* message;
    } cases[] = {
        {"scale_up.bakoff=until_joined",
         "--set scale_up.bakoff=until_joined: scale_up: unknown key 'bakoff'; did you mean "
         "'backoff'?\n"},
        {"scale_up.backoff", "--set scale_up.backoff: expected KEY=VALUE, such as "},
        {"'limits.nodes={max=\"many\"}'",
         "--set limits.nodes={max=\"many\"}: limits.nodes.max: quantity "},
        {"'plugin.labels.settings={ignore=1}'",
         "--set plugin.labels.settings={ignore=1}: plugin.labels.settings.ignore: expected "},
    };
    for (const auto& each : cases) {
        const CommandResult ran = capstan(command + std::string(each.set));
        EXPECT_EQ(ran.code, 2) << each.set;
        EXPECT_THAT(ran.err, AllOf(HasSubstr(each.message), Not(HasSubstr("three_zones.toml:"))))
            << each.set;
    }
}

/// A loopback port that is in use.
class BusyPort {
public:
    BusyPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* const address = reinterpret_cast<sockaddr*>(&at);
        if (::bind(socket_, address, size) != 0 || ::listen(socket_, 1) != 0 ||
            ::getsockname(socket_, address, &size) != 0)
            throw std::runtime_error("no port");
        number_ = std::to_string(ntohs(at.sin_port));
    }
    ~BusyPort() { ::close(socket_); }
    BusyPort(const BusyPort&) = delete;
    BusyPort& operator=(const BusyPort&) = delete;

    const std::string& number() const { return number_; }

private:
    int socket_;
    std::string number_;
};

TEST(CommandLineMistakes, NameTheOptionThatChangesABusyPort) {
    const BusyPort port;
    const CommandResult cluster =
        capstan("cluster examples/live.toml --for 1s --port " + port.number());
    EXPECT_EQ(cluster.code, 1);
    EXPECT_THAT(cluster.err,
                HasSubstr("listen on 127.0.0.1:" + port.number() +
                          ": Address already in use; choose others with --address and --port\n"));

    const Folder folder;
    const std::string kubeconfig = folder.write("kubeconfig", R"({"current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "users": [{"name": "c", "user": {}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]})");
    const std::string config = folder.write(
        "capstan.toml", "[cluster]\nkubeconfig = '" + kubeconfig +
                            "'\n[admin]\nlisten = '127.0.0.1:" + port.number() + "'\n");
    const CommandResult run = capstan("run --config '" + config + "'");
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(run.err,
                HasSubstr("admin.listen: listen on 127.0.0.1:" + port.number() +
                          ": Address already in use; choose another address in admin.listen\n"));
    const CommandResult state = capstan("run --config '" + config + "' --state '" + config + "/x'");
    EXPECT_EQ(state.code, 1);
    EXPECT_THAT(state.err,
                HasSubstr("/x: cannot be created: Not a directory; choose a writable folder\n"));
}

}  // namespace
}  // namespace capstan::commands
