/// The receiver of decoded objects of the Kubernetes API.
#pragma once

#include "engine/snapshot/objects.hpp"

namespace capstan::engine::snapshot {

/// [one thread]
class ClusterSink {
public:
    virtual ~ClusterSink() = default;

    /// Each call replaces the object of that kind with the same name and namespace.
    virtual void set(const NodeObject& node) = 0;
    virtual void set(const PodObject& pod) = 0;
    virtual void set(DaemonSetObject object) = 0;
    virtual void set(DisruptionBudgetObject object) = 0;
    virtual void set(ControllerObject object) = 0;
    virtual void set(ClaimObject object) = 0;
    virtual void set(VolumeObject object) = 0;
    virtual void set(StorageClassObject object) = 0;
    virtual void set(CsiNodeObject object) = 0;
    virtual void set(CsiDriverObject object) = 0;
    virtual void set(CsiCapacityObject object) = 0;
    virtual void set(NamespaceObject object) = 0;
    virtual void set(ServiceObject object) = 0;
};

}  // namespace capstan::engine::snapshot
