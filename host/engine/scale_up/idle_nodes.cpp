#include "engine/scale_up/idle_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/readiness.hpp"
#include "engine/next_change.hpp"
#include "engine/scale_up/planned_assignments.hpp"
#include "engine/templates/observed_nodes.hpp"

namespace capstan::engine::scale_up {
namespace {

/// So many nodes in their first minute may be idle before their group waits for them.
constexpr int idle_nodes_most = 2;

/// Whether the node itself is the reason, and not pods on other nodes.
bool is_of_node(scheduling::Predicate predicate) {
    return predicate >= scheduling::Predicate::taint_toleration &&
           predicate <= scheduling::Predicate::volume_zone;
}

/// Whether pods on other nodes are the reason; these pods may have moved by the next pass.
bool is_of_pods(scheduling::Predicate predicate) {
    return predicate == scheduling::Predicate::pod_topology_spread ||
           predicate == scheduling::Predicate::inter_pod_affinity;
}

const TemplateRecord* find_record(const Memory& memory, const NodeGroupId& group) {
    const auto at = memory.templates.find(group);
    return at == memory.templates.end() ? nullptr : &at->second;
}

/// The pending pod groups: those placed on upcoming nodes, and those without room.
class WaitingPods {
public:
    explicit WaitingPods(ScaleUp& scale_up)
        : placement_(scale_up.placement()), waits_(scale_up.context().pending_count()) {
        const std::vector<int>& left = scale_up.progress().left;
        for (scheduling::PodGroupIndex s = 0; s < waits_.size(); ++s) waits_[s] = left[s] > 0;
        for (scheduling::Slot slot = scale_up.first_upcoming(); slot < placement_.slot_count();
             ++slot) {
            for (const scheduling::Assignment& assignment : placement_.assignments(slot))
                if (assignment.pod_group < waits_.size()) waits_[assignment.pod_group] = true;
        }
    }
    /// Whether the pod group is pending and a node of `group` with the promised template would take
    /// it. The upcoming node on which it is placed may be another group's, ordered while a node of
    /// this group was in its first minute.
    bool would_run_on(pass_context::GroupIndex group, scheduling::PodGroupIndex pod_group) const {
        if (!waits_[pod_group]) return false;
        const scheduling::TemplateNodeId shape = placement_.rules().equivalent(group);
        const scheduling::Predicate predicate = placement_.why_not_new(pod_group, shape).predicate;
        return predicate == scheduling::Predicate::none || is_of_pods(predicate);
    }

private:
    const scheduling::Placement& placement_;
    std::vector<bool> waits_;  ///< by pod group
};

class IdleNodes {
public:
    IdleNodes(ScaleUp& scale_up, Memory& memory)
        : scale_up_(scale_up),
          context_(scale_up.context()),
          placement_(scale_up.placement()),
          memory_(memory),
          waiting_(scale_up),
          pending_(context_, std::vector<int>(context_.pending_count(), 1)),
          next_change_(context_.time) {}

    IdleGroups run() {
        for (pass_context::GroupIndex g = 0; g < context_.groups().size(); ++g) {
            const TemplateRecord* const record = find_record(memory_, context_.id(g));
            const auto since = memory_.planned_since.find(context_.id(g));
            if (record == nullptr || since == memory_.planned_since.end()) continue;
            if (context_.templates[g].node != nullptr) look_at(g, *record, since->second);
        }
        return {.suspected = std::move(suspected_), .wake_at = next_change_.at()};
    }

private:
    using PodsSince = std::map<std::string, Time>;

    const snapshot::Cluster& cluster() const { return context_.snapshot->cluster; }

    void look_at(pass_context::GroupIndex group, const TemplateRecord& record,
                 const PodsSince& since) {
        const NodeGroupId& id = context_.id(group);
        const bool is_backed_off = health::find_backoff(memory_, id, context_.now) != nullptr;
        int in_first_minute = 0;
        scheduling::Refusal last;
        for (const snapshot::NodeIndex n : context_.membership.nodes[group]) {
            if (!is_idle(n, record)) continue;
            const scheduling::Refusal refusal = find_refusal(group, n, since);
            if (refusal.sentence.empty()) continue;
            suspected_.insert(id);
            if (is_backed_off || memory_.unobserved_since) return;
            // The node may still lose a start-up taint or get a label, so it gets a minute. A group
            // with an earlier idle node gets none.
            const Time ready_since = context_.time.measured(cluster().node(n).ready_since);
            const bool is_first = record.idle_node.empty();
            if (is_first && next_change_.is_younger(ready_since, templates::stabilization_delay)) {
                ++in_first_minute;
                last = refusal;
                continue;
            }
            return back_off_for(group, n, refusal);
        }
        if (in_first_minute >= idle_nodes_most) wait_for_them(group, in_first_minute, last);
    }

    /// Until their minute is over, more nodes would most likely be of no more use.
    void wait_for_them(pass_context::GroupIndex group, int nodes,
                       const scheduling::Refusal& refusal) {
        scale_up_.close(
            group, {ReasonCode::backed_off,
                    {},
                    counted(nodes, "new node") +
                        " of it took none of the pods they came for yet: " + refusal.sentence});
    }

    bool is_idle(snapshot::NodeIndex n, const TemplateRecord& record) const {
        const snapshot::NodeRow& node = cluster().node(n);
        const Machine* const machine =
            templates::find_machine(*context_.snapshot, context_.membership, n);
        return context_.health.nodes[n] == health::NodeUsability::takes_pods &&
               !std::ranges::binary_search(context_.being_removed, n) &&
               templates::why_not_template_candidate(
                   node, machine, context_.time.wall + templates::stabilization_delay)
                   .empty() &&
               templates::is_of_template(node, machine, record, context_.time) &&
               !health::has_been_used(cluster(), n) && placement_.assignments(n).empty();
    }

    /// Why the node refuses the first of the pods that it was ordered for; empty: it refuses none.
    scheduling::Refusal find_refusal(pass_context::GroupIndex group, snapshot::NodeIndex n,
                                     const PodsSince& planned) const {
        const Time joined = context_.time.measured(cluster().node(n).created);
        for (const auto& [pods, since] : planned) {
            if (since > joined) continue;
            for (const scheduling::PodGroupIndex s : pending_.of(pods)) {
                if (!waiting_.would_run_on(group, s)) continue;
                scheduling::Refusal refusal = placement_.why_not(s, n);
                if (is_of_node(refusal.predicate)) return refusal;
            }
        }
        return {};
    }

    void back_off_for(pass_context::GroupIndex group, snapshot::NodeIndex n,
                      const scheduling::Refusal& refusal) {
        const NodeGroupId& id = context_.id(group);
        const std::string name(cluster().text(cluster().node(n).name));
        std::string because =
            "node " + name + " took none of the pods it came for: " + refusal.sentence;
        const std::string differently =
            templates::how_it_differs(promised(group), seen(n), *context_.settings);
        if (!differently.empty()) because += "; unlike its template it " + differently;
        const Error error{.code = ErrorCode::invalid_config, .message = std::move(because)};
        health::back_off(memory_, id, error, BackoffPolicy::exponential, *context_.settings,
                         context_.now);
        memory_.templates[id].idle_node = name;
        scale_up_.close(group,
                        {ReasonCode::backed_off, {}, health::reason_of(memory_.backoffs[id])});
    }

    NodeTraits seen(snapshot::NodeIndex n) const {
        return templates::traits_of(cluster(), cluster().node(n), *context_.settings);
    }

    /// The group's template with the labels of the cloud's template: labels that every node is
    /// assumed to have are not the cloud's promise.
    NodeTemplate promised(pass_context::GroupIndex group) const {
        NodeTemplate out = *context_.templates[group].node;
        const Group& of_cloud = context_.groups()[group];
        if (of_cloud.described != nullptr) out.labels = of_cloud.described->labels;
        return out;
    }

    ScaleUp& scale_up_;
    const pass_context::PassContext& context_;
    const scheduling::Placement& placement_;
    Memory& memory_;
    WaitingPods waiting_;
    PodsByKey pending_;
    std::set<NodeGroupId> suspected_{};
    NextChange next_change_;
};

}  // namespace

void update_planned_since(Memory& memory, const std::set<NodeGroupId>& suspected, Time now) {
    const auto before = std::exchange(memory.planned_since, {});
    for (const auto& [group, since] : before) {
        const TemplateRecord* const record = find_record(memory, group);
        const bool is_backed_off = record != nullptr && !record->idle_node.empty() &&
                                   health::find_backoff(memory, group, now) != nullptr;
        if (is_backed_off || suspected.contains(group)) memory.planned_since[group] = since;
    }
    for (const auto& [group, planned] : memory.planned) {
        const auto known = before.find(group);
        auto& since = memory.planned_since[group];
        for (const PlannedNodes& nodes : planned) {
            for (const auto& [pods, count] : nodes.pods) {
                const bool is_known = known != before.end() && known->second.contains(pods);
                since.emplace(pods, is_known ? known->second.at(pods) : now);
            }
        }
    }
}

void end_idle_backoffs(Memory& memory, const snapshot::Cluster& cluster) {
    for (auto& [group, record] : memory.templates) {
        if (record.idle_node.empty()) continue;
        const auto backoff = memory.backoffs.find(group);
        const bool is_backed_off = backoff != memory.backoffs.end();
        const auto node = cluster.find_node(record.idle_node);
        const bool is_used = node && health::has_been_used(cluster, *node);
        // A back-off that lasts until a machine joins is for a later failure.
        if (is_backed_off && is_used && backoff->second.until) memory.backoffs.erase(backoff);
        if (!is_backed_off || is_used) record.idle_node.clear();
    }
}

IdleGroups back_off_idle(ScaleUp& scale_up, Memory& memory) {
    return memory.planned_since.empty() ? IdleGroups() : IdleNodes(scale_up, memory).run();
}

}  // namespace capstan::engine::scale_up
