/// What makes the objects of an API server live: scheduler, controllers, kubelets.
///     ObjectStore store(loop, {});
///     ApiServer server(store);
///     ControlPlane control_plane(store, {.speed = 10});
///     control_plane.start();
#pragma once

#include <memory>

#include "simulation/api_server/object_store.hpp"
#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/control_plane_options.hpp"

namespace capstan::simulation::control_plane {

// PriorityClasses: the two that every cluster has, and what they mean for pods.

/// Gives a pod that names a class the priority of the class, as a server's admission does. Must
/// listen before the scheduler. [the loop's thread]
class PodPriorities {
public:
    explicit PodPriorities(ControlContext& context);
    /// Makes the classes that are missing.
    void start();

private:
    void admit(const api_server::Change& change);

    ControlContext& context_;
};

/// Everything that happens, happens on the store's loop, in answer to changes of the store and to
/// timers; a turn of the loop does a bounded piece of it. [the loop's thread]
class ControlPlane {
public:
    using Options = ControlPlaneOptions;
    explicit ControlPlane(api_server::ObjectStore& store) : ControlPlane(store, Options{}) {}
    /// Borrows the store, which must outlive it. Nothing happens before start().
    ControlPlane(api_server::ObjectStore& store, const Options& options);
    ControlPlane(const ControlPlane&) = delete;
    ControlPlane& operator=(const ControlPlane&) = delete;
    /// Nothing happens any more; the objects stay as they are.
    ~ControlPlane();

    /// Takes up what is there, and what will come. Once.
    void start();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::simulation::control_plane
