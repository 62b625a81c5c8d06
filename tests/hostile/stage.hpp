/// A cluster in memory with two groups of the simulated cloud and pods that want nodes, and
/// `capstan run` as it ships, with a plugin that misbehaves.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "rows.hpp"

namespace capstan::hostile {

/// What ends a wait: 50 ms between two looks. False: it was not so within that time.
bool becomes(std::chrono::milliseconds within, const std::function<bool()>& is_so);

/// One run of the host.
class HostRun {
public:
    HostRun(const std::filesystem::path& config, const std::filesystem::path& state,
            std::filesystem::path log);

    std::string log() const;
    /// Whether one line has all of these words.
    bool says(const std::vector<std::string>& words) const;
    bool is_running() { return process_->is_running(); }
    /// Of a process that has ended.
    int exit_code() { return process_->end(0); }
    /// Sends it; how long the process went on, at most `at_most`.
    std::chrono::milliseconds stop(int signal, std::chrono::milliseconds at_most);

private:
    std::filesystem::path log_;
    std::unique_ptr<e2e::Process> process_;
};

class Stage {
public:
    explicit Stage(const Row& row);

    /// With the plugin that misbehaves, or with the same plugin as it should be.
    HostRun run(bool misbehaves);
    const e2e::Api& api() const { return cluster_.api(); }
    /// The last run's: an Api that answers nothing where there is none.
    e2e::Api admin() const { return e2e::Api(admin_); }
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
