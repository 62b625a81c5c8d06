#include "engine/scale_up/refused_pods.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/health/readiness.hpp"
#include "engine/scale_up/planned_assignments.hpp"
#include "engine/templates/node_taints.hpp"
#include "engine/templates/observed_nodes.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Not updated in each pass, since Memory is saved whenever it changes.
constexpr Duration noted_again_after = std::chrono::hours(1);
/// The most that is remembered of a group. Beyond that, pods may get a node of no use again.
constexpr std::size_t most_refused = 100;

bool is_settling(const pass_context::PassContext& context, NodeIndex n) {
    return std::ranges::binary_search(context.promises, n, {}, &scheduling::NodePromise::node);
}

/// By pending pod group, whether some of its pods have no node, or one that is upcoming.
std::vector<bool> find_waiting(ScaleUp& scale_up) {
    std::vector<bool> out(scale_up.context().pending_count());
    for (PodGroupIndex s = 0; s < out.size(); ++s) out[s] = scale_up.progress().left[s] > 0;
    const scheduling::Placement& placement = scale_up.placement();
    for (scheduling::Slot slot = scale_up.first_upcoming(); slot < placement.slot_count(); ++slot)
        for (const scheduling::Assignment& assignment : placement.assignments(slot))
            if (assignment.pod_group < out.size()) out[assignment.pod_group] = true;
    return out;
}

class RefusalFinder {
public:
    RefusalFinder(ScaleUp& scale_up, Memory& memory)
        : context_(scale_up.context()),
          placement_(scale_up.placement()),
          memory_(memory),
          left_(scale_up.progress().left),
          waiting_(find_waiting(scale_up)),
          pending_(context_, std::vector<int>(context_.pending_count(), 1)) {}

    bool run() {
        for (GroupIndex g = 0; g < context_.groups().size(); ++g) {
            const auto record = memory_.templates.find(context_.id(g));
            if (record == memory_.templates.end() || context_.templates[g].node == nullptr)
                continue;
            end_refusals(g, record->second);
            const auto planned = memory_.planned_since.find(context_.id(g));
            if (planned != memory_.planned_since.end() && !memory_.unobserved_since)
                add_refusals(g, planned->second, record->second);
        }
        return any_;
    }

private:
    using PodsSince = std::map<std::string, Time>;

    const snapshot::Cluster& cluster() const { return context_.snapshot->cluster; }

    Time joined(NodeIndex n) const { return context_.time.measured(cluster().node(n).created); }

    void end_refusals(GroupIndex group, TemplateRecord& record) {
        for (auto at = record.refused.begin(); at != record.refused.end();) {
            RefusedPods& refused = at->second;
            const auto pods = pending_.of_spec(at->first);
            const bool is_over =
                context_.now - (pods.empty() ? refused.seen : refused.since) >=
                    templates::forgotten_after ||
                (!pods.empty() && is_taken_now(group, record, refused, pods.front()));
            if (!pods.empty() && context_.now - refused.seen >= noted_again_after)
                refused.seen = context_.now;
            any_ = any_ || (is_over && !pods.empty());
            at = is_over ? record.refused.erase(at) : std::next(at);
        }
    }

    /// Whether the node that refused the pod would take it now, or one that joined after that. If
    /// amounts are the reason, older nodes may be of another machine type; otherwise they count.
    bool is_taken_now(GroupIndex group, const TemplateRecord& record, const RefusedPods& refused,
                      PodGroupIndex s) const {
        return std::ranges::any_of(context_.membership.nodes[group], [&](NodeIndex n) {
            const bool counts = !is_of_amounts(refused.refusal) || joined(n) > refused.since ||
                                cluster().text(cluster().node(n).name) == refused.node;
            return counts && takes(s, n, record);
        });
    }

    void add_refusals(GroupIndex group, const PodsSince& planned, TemplateRecord& record) {
        for (const NodeIndex n : context_.membership.nodes[group]) {
            if (!is_evidence(n, record)) continue;
            bool differs = false;
            for (const auto& [key, since] : planned) {
                if (since > joined(n)) continue;
                for (const PodGroupIndex s : pending_.of(key))
                    differs = add_refusal(group, n, s, record) || differs;
            }
            if (!differs) continue;
            // What the node lacks, it lacks for other pods as well.
            for (PodGroupIndex s = 0; s < waiting_.size(); ++s)
                if (is_of_traits(find_refusal(s, n))) add_refusal(group, n, s, record);
        }
    }

    /// Records that the node refuses the pods, unless others of its group take them. Whether the
    /// node's taints, labels or volumes are the reason.
    bool add_refusal(GroupIndex group, NodeIndex n, PodGroupIndex s, TemplateRecord& record) {
        if (!waiting_[s] || record.refused.size() >= most_refused) return false;
        std::string spec =
            pods::spec_of(pods::pod_group_key(cluster(), context_.predicates->pod_groups()[s]));
        if (record.refused.contains(spec)) return false;
        scheduling::Refusal refusal = find_refusal(s, n);
        if (refusal.predicate == scheduling::Predicate::none) return false;
        const bool differs = is_of_traits(refusal);
        if (differs && std::ranges::any_of(context_.membership.nodes[group], [&](NodeIndex other) {
                return takes(s, other, record);
            }))
            return false;
        record.refused[std::move(spec)] = {
            .node = std::string(cluster().text(cluster().node(n).name)),
            .refusal = std::move(refusal),
            .differs = how_it_differs(group, n),
            .since = context_.now,
            .seen = context_.now};
        any_ = true;
        return differs;
    }

    /// Whether the node shows what nodes of the present template take.
    bool is_evidence(NodeIndex n, const TemplateRecord& record) const {
        const snapshot::NodeRow& node = cluster().node(n);
        const Machine* const machine =
            templates::find_machine(*context_.snapshot, context_.membership, n);
        return context_.health.readiness[n] == health::Readiness::ready &&
               context_.health.nodes[n] == health::NodeUsability::takes_pods &&
               !std::ranges::binary_search(context_.being_removed, n) &&
               templates::is_of_template(node, machine, record, context_.time) &&
               templates::why_not_template_candidate(
                   node, machine, context_.time.wall + templates::stabilization_delay)
                   .empty();
    }

    /// Whether a node of the present template takes the pod, or would if it were empty.
    bool takes(PodGroupIndex s, NodeIndex n, const TemplateRecord& record) const {
        return is_evidence(n, record) && !is_settling(context_, n) &&
               find_refusal(s, n).predicate == scheduling::Predicate::none;
    }

    static bool is_of_amounts(const scheduling::Refusal& refusal) noexcept {
        return refusal.predicate == scheduling::Predicate::node_resources_fit;
    }
    static bool is_of_traits(const scheduling::Refusal& refusal) noexcept {
        using enum scheduling::Predicate;
        return refusal.predicate == taint_toleration || refusal.predicate == node_affinity ||
               refusal.predicate == volume_binding || refusal.predicate == volume_zone;
    }

    /// Why a node like this does not take the pod. Pods that run there, DaemonSets and taints that
    /// pass are no reason: the next node may have others.
    scheduling::Refusal find_refusal(PodGroupIndex s, NodeIndex n) const {
        scheduling::Refusal refusal = placement_.why_not(s, n);
        if (scheduling::is_of_pods(refusal.predicate)) {
            const bool is_idle =
                !health::has_been_used(cluster(), n) && placement_.assignments(n).empty();
            return is_idle && left_[s] > 0 ? refusal : scheduling::Refusal();
        }
        if (is_of_amounts(refusal)) return is_too_small(s, n) ? refusal : scheduling::Refusal();
        if (refusal.predicate == scheduling::Predicate::taint_toleration &&
            templates::is_passing_taint(refusal.subject, *context_.settings))
            return {};
        return is_of_traits(refusal) ? refusal : scheduling::Refusal();
    }

    /// Whether the pod requests more than the node has. A settling node has what it is promised.
    bool is_too_small(PodGroupIndex s, NodeIndex n) const {
        const auto at =
            std::ranges::lower_bound(context_.promises, n, {}, &scheduling::NodePromise::node);
        const bool has_promise = at != context_.promises.end() && at->node == n;
        return std::ranges::any_of(
            context_.predicates->requests(s), [&](const snapshot::Request& request) {
                std::int64_t has = cluster().allocatable(n)[request.resource];
                if (has_promise)
                    has = std::max(
                        has, at->allocatable.amount(cluster().resource_name(request.resource)));
                return request.amount > has;
            });
    }

    std::string how_it_differs(GroupIndex group, NodeIndex n) const {
        return templates::how_it_differs(
            promised(group), templates::traits_of(cluster(), cluster().node(n), *context_.settings),
            *context_.settings);
    }

    /// The group's template with the labels of the cloud's template: labels that every node is
    /// assumed to have are not the cloud's promise.
    NodeTemplate promised(GroupIndex group) const {
        NodeTemplate out = *context_.templates[group].node;
        const Group& of_cloud = context_.groups()[group];
        if (of_cloud.described != nullptr) out.labels = of_cloud.described->labels;
        return out;
    }

    const pass_context::PassContext& context_;
    const scheduling::Placement& placement_;
    Memory& memory_;
    const std::vector<int>& left_;  // by pod group
    std::vector<bool> waiting_;     // by pod group
    PodsByKey pending_;
    bool any_ = false;
};

bool has_settling_node(const pass_context::PassContext& context, GroupIndex group) {
    return std::ranges::any_of(context.membership.nodes[group],
                               [&](NodeIndex n) { return is_settling(context, n); });
}

}  // namespace

void update_planned_since(Memory& memory, const pass_context::PassContext& context) {
    auto before = std::exchange(memory.planned_since, {});
    for (const auto& [group, planned] : memory.planned) {
        const auto known = before.find(group);
        auto& since = memory.planned_since[group];
        for (const PlannedNodes& nodes : planned) {
            for (const auto& [pods, count] : nodes.pods) {
                const bool is_known = known != before.end() && known->second.contains(pods);
                since.emplace(pods, is_known ? known->second.at(pods) : context.now);
            }
        }
    }
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        const auto at = before.find(context.id(g));
        if (at != before.end() && (memory.unobserved_since || has_settling_node(context, g)))
            memory.planned_since[context.id(g)].merge(at->second);
    }
}

bool remember_refused_pods(ScaleUp& scale_up, Memory& memory) {
    const bool has_refused = std::ranges::any_of(
        memory.templates, [](const auto& entry) { return !entry.second.refused.empty(); });
    if (memory.planned_since.empty() && !has_refused) return false;
    return RefusalFinder(scale_up, memory).run();
}

std::vector<std::string> describe_refused_pods(const pass_context::PassContext& context) {
    std::map<NodeGroupId, std::string> by_group;
    for (const scheduling::RefusedShape& pods : context.refused) {
        if (pods.pod_group >= context.pending_count() ||
            scheduling::is_of_pods(pods.refusal.predicate))
            continue;
        by_group.try_emplace(
            context.id(pods.template_node),
            "group " + context.id(pods.template_node).value() + ": no new node for pod " +
                context.pending.pod_groups[pods.pod_group].example + ": " + pods.refusal.sentence);
    }
    std::vector<std::string> out;
    for (auto& [group, sentence] : by_group) out.push_back(std::move(sentence));
    return out;
}

}  // namespace capstan::engine::scale_up
