/// Records all changes of pods during a test.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster.hpp"

namespace capstan::e2e {

/// Every change of a pod in the default namespace since the watch started, as printed by
/// `kubectl get --watch`. Includes states that lasted only a moment.
class PodWatch {
public:
    explicit PodWatch(const Cluster& cluster);

    /// The number of ready pods that are not being deleted. Reads new changes, as all functions do.
    std::size_t ready();
    /// The number of pods.
    std::size_t present();
    /// The names of the pods that ready() counts, by node.
    std::map<std::string, std::vector<std::string>> ready_by_node();
    /// The names of all pods since the watch started.
    const std::set<std::string>& seen();
    /// Resets `min_ready` to the present value of `ready`.
    void begin_counting();
    /// The smallest value of `ready` since `begin_counting`.
    std::size_t min_ready();

private:
    void read();
    void take(std::string_view line);

    const std::filesystem::path log_;
    std::unique_ptr<Process> process_;
    std::size_t read_ = 0;                        ///< bytes
    std::map<std::string, std::string> present_;  ///< by pod: its node if it counts as ready
    std::set<std::string> seen_;
    std::size_t ready_ = 0, min_ready_ = 0;
};

}  // namespace capstan::e2e
