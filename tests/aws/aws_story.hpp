/// A cluster on AWS: the embedded API server, machines of moto's that join it, and `capstan run`
/// with the shipped plugin.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../e2e_embedded/embedded_cluster.hpp"
#include "aws_server.hpp"

namespace capstan::aws {

using namespace std::chrono_literals;

struct StoryOptions {
    std::string scan_interval = "1s";
    std::string expanders = R"(["least_waste"])";
    std::string cpu = "1500m";  ///< of each pod of "web", of which there is one to begin with
    std::string settings{};     ///< lines of [plugin.aws.settings]
    std::string scale_up{};     ///< lines of [pipeline.scale_up]
    std::string more{};         ///< TOML tables beside all others
    std::string pods{};         ///< more lines of the pods of "web"
    std::string queue{};        ///< the name of the event queue; empty: none
    std::string empty_group_time = "10m";
    std::string discovery =
        R"(["k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/shop"])";
};

/// Gone with the story.
class AwsStory {
public:
    /// The daemon is not started yet.
    AwsStory(const World& world, const StoryOptions& options);

    AwsServer& aws() { return aws_; }
    const e2e::Api& api() const { return cluster_->api(); }
    e2e::EmbeddedCluster& cluster() { return *cluster_; }
    /// Starts the daemon, or the next one with the same state.
    void run();
    e2e::Daemon& daemon() { return *daemon_; }
    void kill() { daemon_->kill(); }

    void scale(int pods) const { api().scale("web", pods); }
    bool has_ready_pods(int count) const { return api().ready_pods("web") == count; }
    /// Names of nodes that are machines of AWS's.
    std::vector<std::string> nodes() const;
    /// `capstan COMMAND --config` of this cluster.
    commands::Ran ask(const std::string& command) const;
    /// What a story that fails shows.
    std::string log() const;

private:
    AwsServer aws_;
    std::unique_ptr<e2e::EmbeddedCluster> cluster_;
    commands::Folder folder_{};
    std::unique_ptr<e2e::Process> joiner_;
    std::optional<e2e::Daemon> daemon_{};
};

/// Skips without moto; in CI it must be there. What was asked of AWS is held to its models at the
/// end of each story.
class AwsStories : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;
    AwsStory& begin(const World& world, const StoryOptions& options = {});
    /// The story that was begun.
    AwsStory& story() { return *story_; }

private:
    std::unique_ptr<AwsStory> story_;
};

}  // namespace capstan::aws
