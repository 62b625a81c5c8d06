/// Takes objects of the Kubernetes API and builds immutable clusters.
///
/// A builder lives longer than a pass. What did not change since the last `build` is shared with
/// the last cluster, so a new cluster costs what changed and one scan over pods, not a copy of all
/// pods.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_sink.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::snapshot {

struct ClusterBuilderOptions {
    /// The pod annotation that says after which time a pod's spread over zones no longer holds, see
    /// spread_timeout.hpp; empty: there is no such annotation.
    std::string spread_timeout_annotation = std::string(default_spread_timeout_annotation);
};

/// Clusters from `build` stay valid, unchanged and readable on any thread, even after the builder
/// is gone. [one thread]
class ClusterBuilder final : public ClusterSink {
public:
    explicit ClusterBuilder(ClusterBuilderOptions options = {});
    ClusterBuilder(const ClusterBuilder&) = delete;
    ClusterBuilder& operator=(const ClusterBuilder&) = delete;
    ~ClusterBuilder() override;

    void set(const NodeObject& node) override;
    void set(const PodObject& pod) override;
    void set(DaemonSetObject object) override;
    void set(DisruptionBudgetObject object) override;
    void set(ControllerObject object) override;
    void set(ClaimObject object) override;
    void set(VolumeObject object) override;
    void set(StorageClassObject object) override;
    void set(CsiNodeObject object) override;
    void set(CsiDriverObject object) override;
    void set(CsiCapacityObject object) override;
    void set(NamespaceObject object) override;
    void set(ServiceObject object) override;
    /// Removes an object; `ns` is ignored for kinds without a namespace. False: there was no such
    /// object.
    bool remove(ObjectKind kind, std::string_view ns, std::string_view name);
    bool remove_node(std::string_view name);
    bool remove_pod(std::string_view ns, std::string_view name);
    /// Binds a pod to a node and clears its `unscheduled_reason`; false: there is no such pod.
    bool bind_pod(std::string_view ns, std::string_view name, std::string_view node);

    /// Adds the equivalence group of pods like `pod`, and no pod. This is for pods that do not
    /// exist yet, such as those of a DaemonSet on new nodes.
    PodGroupId add_equivalence_group(const PodObject& pod);

    /// The number of changes so far. An equal number means that build() would give an equal
    /// cluster. Setting an object to what it is, or removing an object that does not exist, is no
    /// change.
    std::uint64_t changes() const noexcept;

    /// The cluster of all objects that are set now; the last one (Cluster::is_same) if nothing has
    /// changed since. Equal objects give equal clusters, whatever the order in which they were set,
    /// except for the numbers of symbols, equivalence groups and pods.
    Cluster build();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::engine::snapshot
