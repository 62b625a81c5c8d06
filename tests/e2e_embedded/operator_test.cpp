// What operators see: the admin port of a daemon, and commands that need no daemon. No
// output contains a secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include <boost/json/parse.hpp>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using commands::CommandResult;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string quoted_path(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

/// Runs `capstan COMMAND` with the configuration of the cluster.
CommandResult run_command(const EmbeddedCluster& cluster, const std::string& command) {
    return commands::capstan(command + " --config " + quoted_path(cluster.config()));
}
std::string pending_pod(const Api& api) {
    const auto pods =
        api.names("/api/v1/namespaces/default/pods?fieldSelector=status.phase%3DPending");
    return pods.empty() ? "" : pods.front();
}

TEST(LiveCommands, WorkWithoutADaemonAndChangeNothing) {
    EmbeddedCluster cluster(live_shop);
    ASSERT_TRUE(becomes(20s, [&] { return run_command(cluster, "plan").code == 3; }))
        << run_command(cluster, "plan").err;
    const std::string pod = pending_pod(cluster.api());
    EXPECT_THAT(
        run_command(cluster, "plan").out,
        StartsWith("increase web by 1\n  makes room for 1 pod\n\nMore: capstan doctor -c "));
    const CommandResult as_json = run_command(cluster, "plan -o json");
    EXPECT_EQ(as_json.code, 3);
    EXPECT_EQ(json::parse(as_json.out).at_pointer("/actions/0/what"), "increase web by 1");

    const CommandResult doctor = run_command(cluster, "doctor");
    EXPECT_EQ(doctor.code, 0) << doctor.out;
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("rules granted"), HasSubstr("1 group found"),
                                  Not(HasSubstr("MISSING"))));

    const CommandResult explained = run_command(cluster, "explain pod --live default/" + pod);
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, AllOf(HasSubstr("default/" + pod), HasSubstr("can schedule it")));
    const CommandResult stays = run_command(cluster, "explain node --live control-plane -o json");
    EXPECT_EQ(json::parse(stays.out).at("reason"), "NotAutoscaled");
    const CommandResult unknown = run_command(cluster, "explain pod --live default/unknown");
    EXPECT_EQ(unknown.code, 1);
    EXPECT_EQ(unknown.err, "capstan: no pod default/unknown in this cluster\n");

    EXPECT_EQ(cluster.api().leader(), "");
    EXPECT_EQ(cluster.api().names("/api/v1/nodes").size(), 1u);
    EXPECT_THAT(cluster.api().names("/api/v1/configmaps", "capstan-memory"), ::testing::IsEmpty());
}

TEST(LiveCommands, ReportWhyTheyFail) {
    EmbeddedCluster cluster(live_shop);
    const std::string url = cluster.api().url();
    cluster.process().end(SIGKILL);
    for (const char* command : {"plan", "explain matrix --live"}) {
        const CommandResult ran = run_command(cluster, command);
        EXPECT_EQ(ran.code, 1) << command;
        EXPECT_THAT(ran.err, HasSubstr(url));
    }
    const CommandResult doctor = run_command(cluster, "doctor");
    EXPECT_EQ(doctor.code, 1);
    EXPECT_THAT(doctor.out, AllOf(HasSubstr("MISSING  API server"), HasSubstr("TO DO")));

    std::ofstream(cluster.config()) << "[cluster]\nnonsense = 1\n";
    for (const auto& [command, code] :
         {std::pair("plan", 2), {"explain matrix --live", 2}, {"run", 2}, {"doctor", 1}}) {
        const CommandResult ran = run_command(cluster, command);
        EXPECT_EQ(ran.code, code) << command;
        EXPECT_THAT(ran.err, HasSubstr(":2:1: cluster: unknown key 'nonsense'")) << command;
    }
}

TEST(LiveDaemon, ServesItsStateOnTheAdminPort) {
    EmbeddedCluster cluster(live_shop);
    Daemon daemon(cluster, "daemon");
    const Api admin = daemon.admin();
    cluster.api().scale("web", 18);
    // The group has at most eight nodes, with room for two pods each.
    ASSERT_TRUE(becomes(60s, [&] { return cluster.api().ready_pods("web") == 16; }))
        << daemon.log();
    const auto last_pass = [&] { return admin.get("/api/v2/status").at_pointer("/last_pass/at"); };
    const json::value before = last_pass();
    ASSERT_TRUE(becomes(10s, [&] { return last_pass() != before; })) << daemon.log();
    for (const char* probe : {"/livez", "/readyz", "/health-check"})
        EXPECT_EQ(admin.answer(probe).body, "OK") << probe;
    const json::value status = admin.get("/api/v2/status");
    EXPECT_EQ(status.at("leads"), true);
    EXPECT_EQ(status.at("server").as_string(), cluster.api().url());
    EXPECT_EQ(status.at_pointer("/last_pass/nodes"), 9);
    const json::value group = admin.get("/api/v2/groups").at(0);
    EXPECT_EQ(group.at("id"), "web");
    EXPECT_EQ(group.at("ready"), 8);
    EXPECT_EQ(admin.get("/api/v2/plugins").at_pointer("/0/id"), "least_waste") << "by name";
    EXPECT_THAT(admin.answer("/api/v2/config").body, HasSubstr("scan_interval = \\\"500ms\\\""));
    EXPECT_THAT(admin.answer("/api/v2/decisions").body, HasSubstr("increase web by "));
    EXPECT_THAT(admin.answer("/metrics").body,
                HasSubstr("\ncluster_autoscaler_node_group_target_count{node_group=\"web\"} 8\n"));
    EXPECT_EQ(admin.answer("/api/v2/nonsense").status, 404);

    const std::string pod = "default/" + pending_pod(cluster.api());
    const std::string because = "max node group size reached (8)";
    EXPECT_EQ(admin.get("/api/v2/explain/pod/" + pod).at("because").as_string(),
              "group web: " + because);
    EXPECT_EQ(admin.answer("/api/v2/explain/pod/default/unknown").status, 404);
    EXPECT_EQ(admin.get("/api/v2/explain/node/web-1").at("reason"), "NotUnderutilized");
    const std::string server = " --server " + admin.url();
    EXPECT_THAT(commands::capstan("explain pod " + pod + server).out, HasSubstr(because));
    EXPECT_EQ(commands::capstan("explain node web-1 -o json" + server).out,
              admin.answer("/api/v2/explain/node/web-1").body);
    EXPECT_EQ(commands::capstan("explain pod default/unknown" + server).code, 1);

    const CommandResult plan = run_command(cluster, "plan");
    EXPECT_EQ(plan.code, 0) << plan.out;
    EXPECT_THAT(plan.out, AllOf(HasSubstr("stay unschedulable"), HasSubstr("nothing to do\n"),
                                HasSubstr("\nMore: capstan doctor -c ")));
}

/// Tables that replace the heading [admin]: a trace log, secrets, a plugin that gets one, and
/// [admin] with a bearer token.
std::string sections_with_secrets(const std::string& files) {
    const std::string plugins = commands::misbehaving().parent_path().string();
    return "[log]\nlevel = 'trace'\n[secrets]\ndir = '" + files + "'\n[trust]\nsearch_paths = ['" +
           plugins +
           "']\n[plugin.keeper]\nfile = 'keeper.so'\ngrants = { secrets = ['acme'] }\n"
           "settings = { token = { secret = 'acme' } }\n[admin]\nbearer_token_file = '" +
           files + "/admin'\n";
}

TEST(LiveDaemon, ShowsNoSecret) {
    // All secrets end in "hunter2", each with another prefix.
    const commands::Folder files;
    files.write("acme", "plugin-hunter2");
    const std::string token = files.write("admin", "admin-hunter2\n");
    const std::string wrong = files.write("wrong", "wrong-hunter2\n");
    EmbeddedCluster cluster(live_shop);
    replace_in(cluster.config(), "[admin]\n", sections_with_secrets(files.path().string()));
    replace_in(cluster.config(), "least_waste", "keeper");
    replace_in(cluster.dir() / "kubeconfig", R"("user":{})", R"("user":{"token":"kube-hunter2"})");
    Daemon daemon(cluster, "daemon");
    ASSERT_TRUE(becomes(30s, [&] { return cluster.api().ready_pods("web") == 1; })) << daemon.log();
    EXPECT_THAT(daemon.log(), HasSubstr("keeper: was given 14 bytes"));

    const Api admin = daemon.admin("admin-hunter2"), unauthorized = daemon.admin("wrong-hunter2");
    std::string outputs;
    for (const char* path :
         {"/metrics", "/api/v2/status", "/api/v2/groups", "/api/v2/plugins", "/api/v2/config",
          "/api/v2/decisions", "/api/v2/explain/matrix", "/api/v2/explain/node/web-1"}) {
        const Api::Answer granted = admin.answer(path), refused = unauthorized.answer(path);
        EXPECT_EQ(granted.status, 200) << path;
        EXPECT_EQ(refused.status, 401) << path;
        outputs += granted.body + refused.body;
    }
    EXPECT_EQ(unauthorized.answer("/livez").status, 200) << "probes need no token";
    EXPECT_EQ(daemon.admin().answer("/api/v2/status").status, 401);
    const std::string explain = "explain node web-1 --server " + admin.url() + " --token-file ";
    EXPECT_EQ(commands::capstan(explain + quoted_path(token)).code, 0);
    const CommandResult refused = commands::capstan(explain + quoted_path(wrong));
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("bearer token required"));

    const std::string maps = cluster.api().answer("/api/v1/configmaps").body;
    EXPECT_THAT(maps, AllOf(HasSubstr("capstan-memory"), HasSubstr("cluster-autoscaler-status")));
    outputs += refused.out + refused.err + maps + cluster.api().answer("/api/v1/events").body;
    // The daemon logs requests that fail, too.
    cluster.process().end(SIGKILL);
    EXPECT_TRUE(becomes(20s, [&] {
        return daemon.log().find("connect to server") != std::string::npos;
    })) << daemon.log();
    daemon.process().end(SIGTERM);
    for (const std::string& text : {outputs, daemon.log()})
        EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace capstan::e2e
