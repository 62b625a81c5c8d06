/// A cluster in memory with two groups of the simulated cloud and pending pods, and a host with a
/// misbehaving plugin.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "host_run.hpp"
#include "rows.hpp"

namespace capstan::hostile {

class TestCluster {
public:
    explicit TestCluster(const Row& row);

    /// Runs the host with the misbehaving plugin, or with the same plugin behaving correctly.
    HostRun run(bool misbehaves);
    const e2e::Api& api() const { return cluster_.api(); }
    /// The admin port of the last run.
    e2e::Api admin() const { return e2e::Api(admin_); }
    /// Whether its decisions or plugins page has all of these words.
    bool admin_shows(const std::vector<std::string>& words) const;
    /// Runs `capstan COMMAND` with the configuration of the misbehaving plugin.
    commands::CommandResult run_command(const std::string& command);

private:
    std::filesystem::path write_config(bool misbehaves);

    const Row row_;
    e2e::EmbeddedCluster cluster_;
    std::string admin_;
    int runs_ = 0;
};

}  // namespace capstan::hostile
