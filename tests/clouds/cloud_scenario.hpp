/// A cluster whose nodes are machines of simulated clouds: the embedded API server, the servers of
/// the clouds, and `capstan run` with the shipped plugins.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "pipeline_text.hpp"

namespace capstan::clouds {

using namespace std::chrono_literals;

/// All its processes end when it is destroyed.
class CloudScenario {
public:
    /// The daemon is not started yet.
    CloudScenario(std::vector<Part> parts, const ScenarioOptions& options);
    CloudScenario(const CloudScenario&) = delete;
    CloudScenario& operator=(const CloudScenario&) = delete;
    virtual ~CloudScenario() = default;

    const std::vector<Part>& parts() const { return parts_; }
    const e2e::Api& api() const { return cluster_->api(); }
    e2e::EmbeddedCluster& cluster() { return *cluster_; }
    /// Starts the daemon; after kill() another one with the same state.
    void run();
    e2e::Daemon& daemon() { return *daemon_; }
    void kill() { daemon_->kill(); }
    bool has_logged(const std::string& text) const;

    void scale(int pods) const { api().scale("web", pods); }
    bool has_ready_pods(int count) const { return api().ready_pods("web") == count; }
    /// Names of nodes that are machines of the clouds.
    std::vector<std::string> nodes() const;
    /// `capstan COMMAND --config` of this cluster.
    commands::CommandResult run_command(const std::string& command) const;
    /// The logs of all processes, and the calls to the servers; printed after a failure.
    std::string log() const;

private:
    const std::vector<Part> parts_;
    std::unique_ptr<e2e::EmbeddedCluster> cluster_;
    commands::Folder folder_{};
    std::vector<std::unique_ptr<e2e::Process>> joiners_{};
    std::optional<e2e::Daemon> daemon_{};
};

/// At the end of each test, all requests and responses are checked against the models of the
/// clouds.
class CloudDaemonTest : public ::testing::Test {
protected:
    void TearDown() override;
    /// For SetUp: skips the test if there is a reason; in CI a reason is a failure.
    static void skip_because(const std::string& reason);
    template <class Scenario>
    Scenario& keep(std::unique_ptr<Scenario> scenario) {
        Scenario& out = *scenario;
        scenario_ = std::move(scenario);
        return out;
    }

private:
    std::unique_ptr<CloudScenario> scenario_;
};

}  // namespace capstan::clouds
