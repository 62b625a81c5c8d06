/// A cluster in memory with two groups of the simulated cloud and pods that want nodes, and a
/// plugin that misbehaves in the host.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "host_run.hpp"
#include "rows.hpp"

namespace capstan::hostile {

class Stage {
public:
    explicit Stage(const Row& row);

    /// With the plugin that misbehaves, or with the same plugin as it should be.
    HostRun run(bool misbehaves);
    const e2e::Api& api() const { return cluster_.api(); }
    /// The last run's: an Api that answers nothing where there is none.
    e2e::Api admin() const { return e2e::Api(admin_); }
    /// Whether its answer about decisions or plugins has all of these words.
    bool shows(const std::vector<std::string>& words) const;
    /// `capstan COMMAND` with the configuration of the plugin that misbehaves.
    commands::Ran ask(const std::string& command);

private:
    std::filesystem::path write_config(bool misbehaves);

    const Row row_;
    e2e::EmbeddedCluster cluster_;
    std::string admin_;
    int runs_ = 0;
};

}  // namespace capstan::hostile
