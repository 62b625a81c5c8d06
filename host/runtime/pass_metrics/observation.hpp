/// One pass as metrics look at it.
#pragma once

#include <capstan/time.hpp>

#include "engine/pass/outcome.hpp"
#include "engine/snapshot.hpp"

namespace capstan::runtime::pass_metrics {

/// Borrows all of it.
struct PassObservation {
    const engine::Snapshot& snapshot;
    const engine::Settings& settings;
    const engine::Decision& decision;
    const engine::Results& results;
    const engine::Memory& memory;  ///< after the results, if the host lived to note them
    const engine::PassFigures& figures;
    Time at;  ///< when they were there, on the clock of the pass
};

}  // namespace capstan::runtime::pass_metrics
