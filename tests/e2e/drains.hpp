/// Stories that begin in the middle of a drain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stories.hpp"

namespace capstan::e2e {

/// Two nodes of two pods each, which fit on one: one of the nodes is being drained, and the pods
/// that have to go stay until they are let go.
struct Drains : Stories {
    /// Until the first pod has been told to go. `daemon`: one of cloud_in({"a"}).
    void begin(const Daemon& daemon);
    void let_go() const;
    /// One ready node is left, without marks, and `daemon` wants no other; all pods run.
    void expect_end(const Daemon& daemon);

    std::optional<PodWatch> pods;
    std::vector<std::string> held{};  ///< names of pods
};

}  // namespace capstan::e2e
