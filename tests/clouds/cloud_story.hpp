/// A cluster whose machines are a cloud's: the embedded API server, servers that play clouds, and
/// `capstan run` with the shipped plugins.
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

/// Gone with the story.
class CloudStory {
public:
    /// The daemon is not started yet.
    CloudStory(std::vector<Part> parts, const StoryOptions& options);
    CloudStory(const CloudStory&) = delete;
    CloudStory& operator=(const CloudStory&) = delete;
    virtual ~CloudStory() = default;

    const std::vector<Part>& parts() const { return parts_; }
    const e2e::Api& api() const { return cluster_->api(); }
    e2e::EmbeddedCluster& cluster() { return *cluster_; }
    /// Starts the daemon, or the next one with the same state.
    void run();
    e2e::Daemon& daemon() { return *daemon_; }
    void kill() { daemon_->kill(); }
    bool has_logged(const std::string& text) const;

    void scale(int pods) const { api().scale("web", pods); }
    bool has_ready_pods(int count) const { return api().ready_pods("web") == count; }
    /// Names of nodes that are machines of the clouds.
    std::vector<std::string> nodes() const;
    /// `capstan COMMAND --config` of this cluster.
    commands::Ran ask(const std::string& command) const;
    /// What a story that fails shows.
    std::string log() const;

private:
    const std::vector<Part> parts_;
    std::unique_ptr<e2e::EmbeddedCluster> cluster_;
    commands::Folder folder_{};
    std::vector<std::unique_ptr<e2e::Process>> joiners_{};
    std::optional<e2e::Daemon> daemon_{};
};

/// What was asked of the clouds is held to their models at the end of each story.
class CloudStories : public ::testing::Test {
protected:
    void TearDown() override;
    /// Skips the story, of SetUp, where there is a reason; in CI there must be none.
    static void skip_because(const std::string& reason);
    template <class Story>
    Story& keep(std::unique_ptr<Story> story) {
        Story& out = *story;
        story_ = std::move(story);
        return out;
    }

private:
    std::unique_ptr<CloudStory> story_;
};

}  // namespace capstan::clouds
