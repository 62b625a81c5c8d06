// docs/tutorial.md, command by command as it stands there, with a cluster in memory in place of
// kwok's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../docs/document.hpp"
#include "embedded_cluster.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto empty_cluster = R"(
title = "a cluster without nodes"
[[node]]
name = "control-plane"
cpu = "4"
memory = "16Gi"
taints = ["node-role.kubernetes.io/control-plane:NoSchedule"]
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

struct Tutorial : ::testing::Test {
    void SetUp() override {
        const std::string because = EmbeddedCluster::kubectl_missing_because();
        if (!because.empty()) GTEST_SKIP() << because;
        cluster = std::make_unique<EmbeddedCluster>(empty_cluster);
        log = cluster->dir() / "daemon.log";
        // The same with a port that is free, and without half a minute of waiting.
        std::string config = docs::text_of("examples/kwok.toml");
        config = replaced(config, "127.0.0.1:8085", "127.0.0.1:0");
        config = replaced(config, "\"20s\"", "\"3s\"");
        config = replaced(config, "scan_interval = \"5s\"", "scan_interval = \"1s\"");
        std::ofstream(cluster->dir() / "kwok.toml") << config;
        variables = {
            {"KUBECONFIG", (cluster->dir() / "kubeconfig").string()},
            {"PATH", (commands::build_tree() / "bin").string() + ":" + std::getenv("PATH")}};
    }

    /// From the one that begins so up to the one that begins so.
    static std::vector<std::string> commands_from(const std::string& first,
                                                  const std::string& last) {
        const std::vector<std::string> all = docs::shell_commands("docs/tutorial.md");
        const auto begins = [](const std::string& with) {
            return [with](const std::string& command) { return command.starts_with(with); };
        };
        const auto begin = std::ranges::find_if(all, begins(first));
        const auto end = std::find_if(begin, all.end(), begins(last));
        if (end == all.end())
            throw std::runtime_error("the tutorial has no " + first + " ... " + last);
        return {begin, end + 1};
    }
    /// With what the test has in other places.
    std::vector<std::string> shell(const std::string& command) const {
        // The test's own folder may begin like the tutorial's, so that one comes last.
        const std::string here =
            replaced(command, "/tmp/capstan", (cluster->dir() / "state").string());
        const std::string config = (cluster->dir() / "kwok.toml").string();
        return {"bash", "-c", "exec " + replaced(here, "examples/kwok.toml", config)};
    }
    /// What a command printed that ends by itself.
    std::string type(const std::string& command) const {
        const Said said = run(shell(command), variables);
        EXPECT_EQ(said.code, 0) << command << "\n" << said.out << said.errors;
        return said.out;
    }
    std::string told() const { return docs::text_of(log); }

    std::unique_ptr<EmbeddedCluster> cluster;
    std::filesystem::path log;
    Process::Variables variables;
    std::unique_ptr<Process> daemon;
};

TEST_F(Tutorial, LeadsFromNothingToMachinesThatComeAndGo) {
    for (const std::string& command :
         commands_from("kubectl apply -f deploy/kubernetes/rbac.yaml", "capstan doctor"))
        EXPECT_EQ(type(command).find("MISSING"), std::string::npos) << command;

    const std::string run_it = commands_from("capstan run", "capstan run").front();
    daemon = std::make_unique<Process>(shell(run_it), variables, log);
    ASSERT_TRUE(becomes(30s, [&] { return told().find("is seen") != std::string::npos; }))
        << told();

    type(commands_from("kubectl apply -f examples", "kubectl apply -f examples").front());
    const Api& api = cluster->api();
    EXPECT_TRUE(becomes(60s, [&] { return api.ready_pods("shop") == 12; })) << told();
    EXPECT_EQ(api.nodes_of("shop-a") + api.nodes_of("shop-b"), 3) << told();
    const std::string nodes = type(commands_from("kubectl get nodes", "kubectl get nodes").front());
    EXPECT_THAT(nodes, HasSubstr("node/shop-a-1"));
    EXPECT_THAT(nodes, HasSubstr("node/shop-b-1"));
    EXPECT_THAT(nodes, HasSubstr("12/12"));

    type(commands_from("kubectl scale", "kubectl scale").front());
    EXPECT_TRUE(becomes(60s, [&] {
        return api.nodes_of("shop-a") + api.nodes_of("shop-b") == 1 && api.ready_pods("shop") == 4;
    })) << told();

    std::string further;
    for (const std::string& command : commands_from("kubectl get events", "kubectl get configmap"))
        further += type(command);
    EXPECT_THAT(further, HasSubstr("TriggeredScaleUp"));
    EXPECT_THAT(further, HasSubstr("autoscalerStatus: Running"));
    EXPECT_EQ(daemon->end(SIGINT), 0) << told();
}

}  // namespace
}  // namespace capstan::e2e
