/// Takes objects in, hands out immutable clusters. Lives on between passes, so that a pass costs
/// what changed and a scan over rows, never a copy of pods.
#pragma once

#include <memory>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// [one thread] Clusters handed out stay valid, unchanged and readable on any thread, whatever
/// happens to the builder.
class ClusterBuilder {
public:
    ClusterBuilder();
    ClusterBuilder(const ClusterBuilder&) = delete;
    ClusterBuilder& operator=(const ClusterBuilder&) = delete;
    ~ClusterBuilder();

    /// Each replaces what has the same name (and namespace).
    void set(const NodeObject& node);
    void set(const PodObject& pod);
    void set(DaemonSetObject object);
    void set(ClaimObject object);
    void set(VolumeObject object);
    void set(StorageClassObject object);
    void set(CsiNodeObject object);
    void set(CsiDriverObject object);
    void set(CsiCapacityObject object);
    void set(NamespaceObject object);
    /// False: there was none.
    bool remove_node(std::string_view name);
    bool remove_pod(std::string_view ns, std::string_view name);
    /// Binds a pod that is there; false: it is not.
    bool bind_pod(std::string_view ns, std::string_view name, std::string_view node);

    /// A class of pods without a pod of it: the pods of a DaemonSet on nodes to come, pods that do
    /// not exist yet.
    ClassId add_class(const PodObject& pod);

    /// Equal contents give equal clusters up to the numbers of symbols, classes and pods, whatever
    /// the order in which they came.
    Cluster build();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::engine
