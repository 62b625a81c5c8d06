/// Simulated clouds with a real control plane: its scheduler, evictions and permissions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../e2e/control_plane_fixture.hpp"
#include "pipeline_text.hpp"

namespace capstan::clouds {

/// A cluster, servers that simulate clouds, and joiners that turn their machines into nodes.
class CloudsOnARealControlPlane : public e2e::ControlPlaneTest {
protected:
    void TearDown() override;
    /// Starts the joiners, and the daemon with the options of the pipeline.
    void begin(std::vector<Part> parts, const ScenarioOptions& options);
    e2e::Daemon& daemon() { return *daemon_; }

private:
    std::string joiner_log(const Part& part) const { return part.plugin + "-joiner.log"; }

    commands::Folder folder_{};
    std::vector<Part> parts_{};
    std::vector<std::unique_ptr<e2e::Process>> joiners_{};
    std::unique_ptr<e2e::Daemon> daemon_{};
};

}  // namespace capstan::clouds
