/// The fixture of tests that begin in the middle of a drain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control_plane_fixture.hpp"

namespace capstan::e2e {

/// Two nodes with two pods each; all four pods fit on one node. One node is being drained, and its
/// pods stay until release_pods().
struct DrainTest : ControlPlaneTest {
    /// Creates this state, and waits for the first eviction. `daemon` has cloud_in({"a"}).
    void begin_drain(const Daemon& daemon);
    void release_pods() const;
    /// Expects one ready node without taints, a target size of one, and four ready pods, two of
    /// which replace the evicted pods.
    void expect_drain_end(const Daemon& daemon);

    std::optional<PodWatch> pods;
    std::vector<std::string> held{};  ///< names of the pods that a finalizer holds
};

}  // namespace capstan::e2e
