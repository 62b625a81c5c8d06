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

/// Every change of pods in the default namespace since its start, as `kubectl get --watch` prints
/// them: also states that lasted only a moment.
class PodWatch {
public:
    explicit PodWatch(const Cluster& cluster);

    /// The number of ready pods that are not being deleted. Reads new changes, as all functions do.
    std::size_t ready();
    /// The number of pods.
    std::size_t present();
    /// The names of ready pods, by node.
    std::map<std::string, std::vector<std::string>> ready_by_node();
    /// The names of all pods that ever existed.
    const std::set<std::string>& seen();
    /// Starts `min_ready`.
    void begin_counting();
    /// The smallest value of `ready` since then.
    std::size_t min_ready();

private:
    void read();
    void take(std::string_view line);

    const std::filesystem::path log_;
    std::unique_ptr<Process> process_;
    std::size_t read_ = 0;                        ///< bytes
    std::map<std::string, std::string> present_;  ///< the node it is ready on, or nothing
    std::set<std::string> seen_;
    std::size_t ready_ = 0, min_ready_ = 0;
};

}  // namespace capstan::e2e
