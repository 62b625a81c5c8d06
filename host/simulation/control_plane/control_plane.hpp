/// What makes the objects of an API server live: scheduler, controllers, kubelets.
///     ObjectStore store(loop, {});
///     ApiServer server(store);
///     ControlPlane control_plane(store, {.speed = 10});
///     control_plane.start();
#pragma once

#include <memory>
#include <string_view>

#include "simulation/api_server/object_store.hpp"
#include "simulation/control_plane/options.hpp"

namespace capstan::simulation {

/// Annotations of pods, in templates too; durations are written "90s", "1m30s".
/// How long from the pod's node until it is ready.
inline constexpr std::string_view start_up_annotation = "simulation.capstan.io/start-up";
/// How long it then runs until it ends by itself, where its restartPolicy lets it.
inline constexpr std::string_view run_for_annotation = "simulation.capstan.io/run-for";
/// With which code it ends; anything but 0 is a failure.
inline constexpr std::string_view exit_code_annotation = "simulation.capstan.io/exit-code";
/// Of nodes: "stopped" lets its kubelet fall silent, until the annotation goes.
inline constexpr std::string_view kubelet_annotation = "simulation.capstan.io/kubelet";

/// Everything that happens, happens on the store's loop, in answer to changes of the store and to
/// timers; a turn of the loop does a bounded piece of it. [the loop's thread]
class ControlPlane {
public:
    using Options = ControlPlaneOptions;
    explicit ControlPlane(ObjectStore& store) : ControlPlane(store, Options{}) {}
    /// Borrows the store, which must outlive it. Nothing happens before start().
    ControlPlane(ObjectStore& store, const Options& options);
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

}  // namespace capstan::simulation
