/// The objects of a cluster, as a dump has them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// The kind of controller of pods.
enum class Controller {
    none,          ///< no controller: deleted pods are not recreated
    replica_set,   ///< of a Deployment: replaces pods that vanish, at once, under new names
    stateful_set,  ///< keeps names: NAME-0 first, each pod when the pods before it are ready
    job,           ///< its pods end by themselves; a pod that vanishes before that starts over
};

/// A number of pods, or a percentage of pods.
struct PodShare {
    PodShare(int n, bool percent = false) : amount(n), is_percent(percent) {}
    /// How many of `wanted` pods. A percentage is rounded up, as Kubernetes' disruption controller
    /// does for both bounds.
    int of(int wanted) const noexcept {
        if (!is_percent) return amount;
        return static_cast<int>((std::int64_t{wanted} * amount + 99) / 100);
    }

    int amount = 0;
    bool is_percent = false;
};

/// A PodDisruptionBudget with one bound; without a bound it allows no disruption. It replaces the
/// budget of the same name.
struct Budget {
    std::string ns = "default";
    std::string name{};
    LabelSelector selector{};
    std::optional<PodShare> min_available{}, max_unavailable{};
    bool lets_unready_go = false;  ///< unhealthyPodEvictionPolicy: AlwaysAllow
};

/// A controller with a scale, as disruption budgets count the pods that it wants.
struct ScaledController {
    std::string id{};             ///< "shop/Deployment/web": the topmost, above a ReplicaSet
    std::optional<int> wanted{};  ///< pods; absent: the controller does not say
};

/// A Deployment or StatefulSet that wants no pods, and the pods that it would create.
struct IdleWorkload {
    ScaledController scaled{};
    Controller controller = Controller::none;
    engine::snapshot::PodObject pod_template{};  ///< named as the controller
};

/// Objects of the Kubernetes API that are there from the start. Pods that name a node run there.
struct Objects {
    std::vector<engine::snapshot::NodeObject> nodes{};
    std::vector<engine::snapshot::PodObject> pods{};
    std::vector<engine::snapshot::DaemonSetObject> daemon_sets{};
    /// Bound pods that are not ready, by "namespace/name".
    std::set<std::string, std::less<>> unready{};
    /// Controllers with a scale, by "namespace/kind/name" of the pods' direct owner.
    std::map<std::string, ScaledController, std::less<>> scaled{};
    std::vector<IdleWorkload> idle{};  ///< that a plugin may scale
    std::vector<engine::snapshot::ControllerObject> controllers{};
    std::vector<engine::snapshot::ClaimObject> claims{};
    std::vector<engine::snapshot::VolumeObject> volumes{};
    std::vector<engine::snapshot::StorageClassObject> storage_classes{};
    std::vector<engine::snapshot::CsiNodeObject> csi_nodes{};
    std::vector<engine::snapshot::CsiDriverObject> csi_drivers{};
    std::vector<engine::snapshot::CsiCapacityObject> csi_capacities{};
    std::vector<engine::snapshot::NamespaceObject> namespaces{};
    std::vector<engine::snapshot::ServiceObject> services{};
};

}  // namespace capstan::autoscaler::dump
