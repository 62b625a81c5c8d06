/// StatefulSets: pods with numbers and claims of their own, one after the other.
#pragma once

#include <map>
#include <string>

#include "simulation/control_plane/workloads/revisions.hpp"

namespace capstan::simulation {

/// [the loop's thread]
class StatefulSets {
public:
    explicit StatefulSets(ControlContext& context);

private:
    struct Look;
    void reconcile(const std::string& key);
    /// Each answers whether the next step may be taken now.
    bool fill(const Look& look);
    bool fill_place(const Look& look, std::int64_t ordinal);
    bool shrink(const Look& look);
    void update(const Look& look);
    void write_counts(const std::string& key, const Look& look);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation
