/// The pods of a StatefulSet: their numbers, their claims.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "simulation/control_plane/workloads/pod_control.hpp"

namespace capstan::simulation::control_plane {

/// 3 of "web-3"; nothing: no pod of the set's naming.
std::optional<std::int64_t> find_ordinal(const json::object& set, const json::object& pod);
/// "web-3", with its volumes for the claims of the set's templates.
json::object make_stateful_pod(const Workload& set, std::int64_t ordinal,
                               std::string_view revision_hash);
/// The claims of that pod, as far as they are missing; they stay when the pod goes.
void make_claims(ControlContext& context, const Workload& set, std::int64_t ordinal);

// StatefulSets: pods with numbers and claims of their own, one after the other.

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

}  // namespace capstan::simulation::control_plane
