/// What becomes of a cluster's pods while a story goes on.
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

/// Every change of the default namespace's pods from its start on, as `kubectl get --watch` tells
/// them: what held for a moment only is seen, too.
class PodWatch {
public:
    explicit PodWatch(const Cluster& cluster);

    /// How many are ready and not being deleted. Reads what has come; so do the others.
    std::size_t ready();
    /// How many are there at all.
    std::size_t present();
    /// The names of the ready ones, by node.
    std::map<std::string, std::vector<std::string>> ready_by_node();
    /// The names of all that ever were.
    const std::set<std::string>& seen();
    /// From now on `fewest` counts.
    void begin_counting();
    /// The least that `ready` has been at any moment since.
    std::size_t fewest();

private:
    void read();
    void take(std::string_view line);

    const std::filesystem::path log_;
    std::unique_ptr<Process> process_;
    std::size_t read_ = 0;                        ///< bytes
    std::map<std::string, std::string> present_;  ///< the node it is ready on, or nothing
    std::set<std::string> seen_;
    std::size_t ready_ = 0, fewest_ = 0;
};

}  // namespace capstan::e2e
