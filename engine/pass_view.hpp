/// What a pass knows when it decides about nodes and groups.
#pragma once

#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::templates {
struct Membership;
}

namespace capstan::engine {

/// Borrows all but the time. `membership`: of `snapshot`.
struct PassView {
    const Snapshot& snapshot;
    const templates::Membership& membership;
    const Memory& memory;
    const Settings& settings;
    PassTime time;
};

}  // namespace capstan::engine
