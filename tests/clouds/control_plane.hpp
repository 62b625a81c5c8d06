/// The same on a real control plane: its scheduler, its evictions, its rights.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../e2e/control_plane_fixture.hpp"
#include "pipeline_text.hpp"

namespace capstan::clouds {

/// Servers that play clouds beside the cluster, and what turns their machines into nodes.
class CloudsOnARealControlPlane : public e2e::ControlPlaneTest {
protected:
    void TearDown() override;
    /// Starts the daemon, with those of the options that are of the pipeline.
    void begin(std::vector<Part> parts, const StoryOptions& options);
    e2e::Daemon& daemon() { return *daemon_; }

private:
    std::string joiner_log(const Part& part) const { return part.plugin + "-joiner.log"; }

    commands::Folder folder_{};
    std::vector<Part> parts_{};
    std::vector<std::unique_ptr<e2e::Process>> joiners_{};
    std::unique_ptr<e2e::Daemon> daemon_{};
};

}  // namespace capstan::clouds
