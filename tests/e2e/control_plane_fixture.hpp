/// The fixture of all tests on a real control plane.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster.hpp"
#include "daemon.hpp"
#include "pod_watch.hpp"
#include "process.hpp"

namespace capstan::e2e {

using namespace std::chrono_literals;

/// Each test has its own cluster without nodes. A failed test prints nodes, pods and Events.
struct ControlPlaneTest : ::testing::Test {
    void SetUp() override;
    void TearDown() override;

    /// The holder of the Lease; empty: no holder.
    std::string holder() const;
    /// Whether there are exactly `count` nodes and all are ready.
    bool has_ready_nodes(std::size_t count) const;
    /// The number of nodes in each zone.
    std::map<std::string, int> nodes_by_zone() const;
    /// The ready replicas of the Deployment "web".
    int ready_pods() const;
    /// `kubectl scale` of the Deployment "web".
    void scale(int replicas) const;
    /// Scales the Deployment "web" down until two of its pods are left on each node.
    void scale_to_two_a_node(PodWatch& pods) const;

    std::unique_ptr<Cluster> cluster;
};

/// A simulated cloud with a group "web-ZONE" for each zone. Its machines have 4 cores and join the
/// cluster. Scale-down has short delays; `unneeded_time` is scale_down.unneeded_time.
std::string cloud_in(const std::vector<std::string>& zones, int max = 20,
                     const std::string& unneeded_time = "3s");

/// The Deployment "web" with one container. `spec`: further YAML lines of the pod spec.
std::string deployment(int replicas, const std::string& cpu,
                       const std::vector<std::string>& spec = {});

/// A PodDisruptionBudget for the pods of the Deployment "web".
std::string budget(int ready_at_least);

}  // namespace capstan::e2e
