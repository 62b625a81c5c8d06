#include "test_cluster.hpp"

#include <stdexcept>

#include "config_text.hpp"

namespace capstan::hostile {
namespace {

/// One pod fills a machine.
constexpr auto base_scenario = R"(
title = "a cluster with a misbehaving plugin"
scan_interval = "500ms"
register_delay = "0s"
ready_delay = "200ms"
[pipeline.scale_up]
expanders = ["least_waste"]
similarity = []
[scale_down]
enabled = false
[[group]]
id = "web-a"
max = 4
boot = "200ms"
machine = { cpu = "4", memory = "16Gi" }
[[group]]
id = "web-b"
max = 4
boot = "200ms"
machine = { cpu = "4", memory = "16Gi" }
[[replica_set]]
name = "web"
count = 1
cpu = "3"
)";

constexpr auto guest_pods = R"(
[[replica_set]]
name = "guest"
count = 1
cpu = "3"
node_selector = { rogue = "true" }
tolerations = ["rogue"]
)";

/// Short, since the next run waits until the Lease of a killed run expires.
constexpr auto short_lease =
    "\n[cluster.leader_election]\nlease_duration = '3s'\nrenew_deadline = '2s'\n"
    "retry_period = '500ms'\n";
constexpr auto short_deadlines = "call_deadline = '300ms'\nrefresh_deadline = '1s'\n";

void use_rogue(ConfigText& config, const std::string& kind) {
    if (kind == "expander") {
        config.replace("[\"least_waste\"]", "[\"rogue\", \"least_waste\"]");
    } else if (kind == "cloud") {
        config.replace("clouds = [\"simulated\"]", "clouds = [\"rogue\", \"simulated\"]");
    } else {
        config.replace("[pipeline]\n", "[pipeline]\ncontrollers = [\"rogue\"]\n");
    }
}

}  // namespace

TestCluster::TestCluster(const Row& row)
    : row_(row), cluster_(std::string(base_scenario) + (row.wants_rogue ? guest_pods : "")) {}

std::filesystem::path TestCluster::write_config(bool misbehaves) {
    ConfigText config(cluster_.config());
    admin_ = config.admin();
    use_rogue(config, row_.kind);
    config.append(short_lease + row_.config + "\n[trust]\nsearch_paths = ['" +
                  commands::misbehaving().parent_path().string() +
                  "']\n[plugin.rogue]\nfile = 'misbehaving_in_c.so'\nclass = '" + row_.kind +
                  "'\n[plugin.rogue.limits]\n" + short_deadlines + row_.limits);
    if (misbehaves)
        config.append("\n[plugin.rogue.settings]\nat = '" + row_.at + "'\nact = '" + row_.act +
                      "'\n");
    return config.write(cluster_.dir() / (misbehaves ? "misbehaves.toml" : "behaves.toml"));
}

HostRun TestCluster::run(bool misbehaves) {
    return {write_config(misbehaves), cluster_.dir() / "host",
            cluster_.dir() / ("run-" + std::to_string(++runs_) + ".log")};
}

bool TestCluster::admin_shows(const std::vector<std::string>& words) const {
    try {
        return words.empty() || has_all(admin().answer("/api/v2/decisions").body, words) ||
               has_all(admin().answer("/api/v2/plugins").body, words);
    } catch (const std::runtime_error&) {
        return false;
    }
}

commands::CommandResult TestCluster::run_command(const std::string& command) {
    return commands::capstan(command + " --config '" + write_config(true).string() + "'");
}

}  // namespace capstan::hostile
