/// PriorityClasses: the two that every cluster has, and what they mean for pods.
#pragma once

#include "simulation/control_plane/context/control_context.hpp"

namespace capstan::simulation::control_plane {

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

}  // namespace capstan::simulation::control_plane
