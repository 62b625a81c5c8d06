/// StatefulSets: pods with ordinals and claims of their own, one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "simulator/control_plane/workloads/pod_control.hpp"

namespace capstan::simulator::control_plane {

/// The ordinal of a pod, 3 of "web-3"; absent: the name is not that of a pod of the set.
std::optional<std::int64_t> find_ordinal(const json::object& set, const json::object& pod);
/// The pod of an ordinal, "web-3", with volumes for the claims of the set's volumeClaimTemplates.
json::object make_stateful_pod(const Workload& set, std::int64_t ordinal,
                               std::string_view revision_hash);
/// Creates the missing claims of that pod. Claims stay when the pod is deleted.
void make_claims(ControlContext& context, const Workload& set, std::int64_t ordinal);

/// Makes, deletes and updates the pods of StatefulSets. [the loop's thread]
class StatefulSets {
public:
    explicit StatefulSets(ControlContext& context);

private:
    struct SyncState;
    void reconcile(const std::string& key);
    // Each step returns whether the next step may be taken now.
    bool fill(const SyncState& sync);
    bool fill_ordinal(const SyncState& sync, std::int64_t ordinal);
    bool shrink(const SyncState& sync);
    void update(const SyncState& sync);
    void write_counts(const std::string& key, const SyncState& sync);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
