/// The fixture of tests that begin in the middle of a drain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control_plane_fixture.hpp"

namespace capstan::e2e {

/// Two nodes with two pods each, which fit on one node: one of the nodes is being drained, and its
/// pods stay until they are released.
struct DrainTest : ControlPlaneTest {
    /// Waits for the first eviction. `daemon`: one with cloud_in({"a"}).
    void begin_drain(const Daemon& daemon);
    void release_pods() const;
    /// Expects one ready node without taints, a target size of one, and that all pods run.
    void expect_drain_end(const Daemon& daemon);

    std::optional<PodWatch> pods;
    std::vector<std::string> held{};  ///< names of pods
};

}  // namespace capstan::e2e
