/// Takes objects in, hands out immutable clusters. Lives on between passes, so that a pass costs
/// what changed and a scan over rows, never a copy of pods.
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
    /// The pod annotation that says how long a spread over zones is insisted on, see
    /// spread_timeout.hpp; empty: none does.
    std::string spread_timeout_annotation = std::string(default_spread_timeout_annotation);
};

/// [one thread] Clusters handed out stay valid, unchanged and readable on any thread, whatever
/// happens to the builder.
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
    /// Takes one object away; `ns` means nothing to kinds that have no namespace. False: there was
    /// none.
    bool remove(ObjectKind kind, std::string_view ns, std::string_view name);
    bool remove_node(std::string_view name);
    bool remove_pod(std::string_view ns, std::string_view name);
    /// Binds a pod that is there, which leaves it no `unscheduled_reason`; false: it is not.
    bool bind_pod(std::string_view ns, std::string_view name, std::string_view node);

    /// A class of pods without a pod of it: the pods of a DaemonSet on nodes to come, pods that do
    /// not exist yet.
    PodGroupId add_class(const PodObject& pod);

    /// How often something changed that a Cluster shows. To set what is there as it is, or to take
    /// away what is not there, changes nothing: an equal number means that build() would give the
    /// same again.
    std::uint64_t changes() const noexcept;

    /// Equal contents give equal clusters up to the numbers of symbols, classes and pods, whatever
    /// the order in which they came.
    Cluster build();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::engine::snapshot
