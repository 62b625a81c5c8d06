#include "cloud_scenario.hpp"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <utility>

namespace capstan::clouds {
namespace {

constexpr auto system_node = R"(
[[node]]
name = "control-plane"
cpu = "4"
memory = "16Gi"
taints = ["node-role.kubernetes.io/control-plane:NoSchedule"]
)";

constexpr auto quick = R"(
[scale_down]
delay_after_add = "1s"
delay_after_failure = "1s"
unneeded_time = "2s"
node_delete_delay_after_taint = "500ms"
eviction_retry = "1s"
)";

std::string scenario_text(const std::vector<Part>& parts, const ScenarioOptions& options) {
    std::ostringstream out;
    out << "title = \"a shop on a cloud\"\nready_delay = \"200ms\"\nscan_interval = \""
        << options.scan_interval << "\"\n"
        << pipeline_text(parts, options) << options.more << quick << "empty_group_time = \""
        << options.empty_group_time << "\"\n"
        << system_node << "[[replica_set]]\nname = \"web\"\ncount = 1\ncpu = \"" << options.cpu
        << "\"\nstart_up = \"200ms\"\ngrace = \"2s\"\n"
        << options.pods;
    return std::move(out).str();
}

}  // namespace

CloudScenario::CloudScenario(std::vector<Part> parts, const ScenarioOptions& options)
    : parts_(std::move(parts)),
      cluster_(std::make_unique<e2e::EmbeddedCluster>(scenario_text(parts_, options))) {
    for (const Part& part : parts_)
        joiners_.push_back(start_joiner(part, cluster_->dir() / "kubeconfig",
                                        folder_.path() / (part.plugin + "-joiner.log")));
}

void CloudScenario::run() { daemon_.emplace(*cluster_, "daemon"); }

bool CloudScenario::has_logged(const std::string& text) const {
    return daemon_ && daemon_->log().find(text) != std::string::npos;
}

std::vector<std::string> CloudScenario::nodes() const {
    std::vector<std::string> out;
    for (const Part& part : parts_)
        for (std::string& name : api().names("/api/v1/nodes", part.prefix))
            out.push_back(std::move(name));
    return out;
}

commands::CommandResult CloudScenario::run_command(const std::string& command) const {
    return commands::capstan(command + " --config '" + cluster_->config().string() + "'");
}

std::string CloudScenario::log() const {
    std::string out =
        "-- cluster --\n" + cluster_->log() + "-- daemon --\n" + (daemon_ ? daemon_->log() : "");
    for (const Part& part : parts_)
        out += "-- joiner of " + part.plugin + " --\n" + folder_.read(part.plugin + "-joiner.log") +
               "-- server --\n" + part.server->log() + "-- calls --\n" + part.server->calls_text();
    return out;
}

void CloudDaemonTest::skip_because(const std::string& reason) {
    if (reason.empty()) return;
    const char* const ci = std::getenv("CI");
    ASSERT_FALSE(ci != nullptr && std::string(ci) == "true") << reason;
    GTEST_SKIP() << reason;
}

void CloudDaemonTest::TearDown() {
    if (!scenario_) return;
    for (const Part& part : scenario_->parts())
        EXPECT_THAT(part.server->violations(), ::testing::IsEmpty()) << part.plugin;
    if (HasFailure()) std::cerr << scenario_->log();
}

}  // namespace capstan::clouds
