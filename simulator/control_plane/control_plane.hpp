/// A control plane for an API server in memory: the scheduler, the controllers and the kubelets.
///     ObjectStore store(loop, {});
///     ApiServer server(store);
///     ControlPlane control_plane(store, {.speed = 10});
///     control_plane.start();
#pragma once

#include <memory>

#include "simulator/api_server/object_store.hpp"
#include "simulator/control_plane/context/control_plane_options.hpp"

namespace capstan::simulator::control_plane {

/// All work is done on the store's loop, in answer to changes of the store and to timers, and each
/// handler of the loop does a bounded part of it. [the loop's thread]
class ControlPlane {
public:
    using Options = ControlPlaneOptions;
    explicit ControlPlane(api_server::ObjectStore& store) : ControlPlane(store, Options{}) {}
    /// Borrows the store, which must outlive this object. Nothing happens before start().
    ControlPlane(api_server::ObjectStore& store, const Options& options);
    ControlPlane(const ControlPlane&) = delete;
    ControlPlane& operator=(const ControlPlane&) = delete;
    /// Stops all work; the objects stay as they are.
    ~ControlPlane();

    /// Begins to work, with the objects that exist. To be called once.
    void start();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::simulator::control_plane
