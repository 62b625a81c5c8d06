#include "simulation/control_plane/control_plane.hpp"

namespace capstan::simulation {

struct ControlPlane::Parts {};

ControlPlane::ControlPlane(ObjectStore& store, Options options) {
    static_cast<void>(store);
    static_cast<void>(options);
}

ControlPlane::~ControlPlane() = default;

void ControlPlane::start() {}

}  // namespace capstan::simulation
