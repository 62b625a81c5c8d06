#include "engine/pass/explain.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/pass/pass.hpp"
#include "engine/pods/pending.hpp"
#include "engine/remedies.hpp"
#include "engine/scale_up/reasons.hpp"
#include "engine/scale_up/scale_up.hpp"
#include "engine/templates/settling_nodes.hpp"

namespace capstan::engine::pass {
namespace {

Reason refusal_of(scheduling::Placement& placement, PodGroupIndex pod_group, GroupIndex group) {
    return reason_of(placement.why_not_new(pod_group, placement.predicates().equivalent(group)));
}

std::string summary_of(const PodAnswer& pods) {
    if (pods.schedulable > 0 && pods.schedulable_on.empty()) {
        return "fit on existing nodes once the new nodes are ready";
    }
    if (pods.schedulable > 0) {
        return "planned on new nodes of " +
               listed(pods.schedulable_on,
                      [](const SchedulableOn& on) { return on.group.value(); });
    }
    if (pods.fit > 0) return "fit on existing or upcoming nodes";
    return "no pending pods like this";
}

/// The machine of a node that is in no group, from the views of the clouds. Absent: no cloud, or
/// more than one, is responsible for the provider id, or a view is incomplete.
std::optional<NodeMachine> machine_of_no_group(const Snapshot& snapshot,
                                               std::string_view provider_id) {
    if (provider_id.empty()) return std::nullopt;
    std::vector<PluginInstanceId> responsible;
    bool is_certain = snapshot.unread.empty();
    for (const auto& [cloud, view] : snapshot.cloud_views) {
        const auto at = std::ranges::find(view->machines, provider_id, [](const Machine& machine) {
            return std::string_view(machine.id.value());
        });
        if (at != view->machines.end()) return NodeMachine{.cloud = cloud, .machine = *at};
        const std::string& prefix = view->lists_all_with_prefix;
        if (prefix.empty() || !provider_id.starts_with(prefix)) continue;
        responsible.push_back(cloud);
        is_certain = is_certain && view->complete && view->unreadable.empty();
    }
    // Two accounts of one provider have the same prefix: the machine may be in either of them.
    if (responsible.size() != 1 || !is_certain) return std::nullopt;
    return NodeMachine{.cloud = responsible.front()};
}

scheduling::Placement placement_before(scale_up::ScaleUp& scale_up) {
    scheduling::Placement out = scale_up.placement();
    out.undo(scale_up.start());
    return out;
}

}  // namespace

struct Explanation::State {
    State(CompletedPass completed, const Snapshot& snapshot)
        : listed(snapshot.groups),
          cluster(snapshot.cluster),
          pass(std::move(completed)),
          context(*pass.details.context),
          scale_up(*pass.details.scale_up),
          schedulable(scale_up::count_schedulable(scale_up.placement(), scale_up.first_new())),
          before(placement_before(scale_up)),
          reasons_before(context, scale_up::QuotaTracker(context), before, std::string()),
          reasons_after(context, scale_up.progress().quotas, scale_up.placement(),
                        scale_up.progress().stopped) {}

    std::string with_time_left(std::string sentence) const {
        return health::with_time_left(std::move(sentence), context.groups(), pass.memory,
                                      context.time);
    }

    const std::shared_ptr<const std::vector<Group>> listed;
    const snapshot::Cluster cluster;  // as it was given, so pods have the numbers of the question
    const CompletedPass pass;
    const pass_context::PassContext& context;
    scale_up::ScaleUp& scale_up;
    scale_up::SchedulablePods schedulable;
    scheduling::Placement before;  // before the scale-up; scale_up's own is the state after it
    scale_up::Reasons reasons_before, reasons_after;
};

namespace {

/// "waiting for nvidia.com/gpu on node gpu-1", if pods of the group are placed on a node that does
/// not have yet what its template promises; empty otherwise.
std::string find_awaited(const pass_context::PassContext& context,
                         const scheduling::Placement& placement, PodGroupIndex pod_group) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    for (const scheduling::NodePromise& promise : context.promises) {
        const auto placed = placement.assignments(promise.node);
        if (std::ranges::find(placed, pod_group, &scheduling::Assignment::pod_group) ==
            placed.end())
            continue;
        return "waiting for " + templates::describe_promise(promise) + " on node " +
               std::string(cluster.text(cluster.node(promise.node).name));
    }
    return {};
}

}  // namespace

Explanation explain_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                         const Settings& settings, const CallContext& call_context,
                         std::span<const PodGroupId> asked) {
    return Explanation(std::make_unique<Explanation::State>(
        run_pass(snapshot, std::move(memory), policies, settings, call_context, asked), snapshot));
}

Explanation::Explanation(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Explanation::Explanation(Explanation&&) noexcept = default;
Explanation& Explanation::operator=(Explanation&&) noexcept = default;
Explanation::~Explanation() = default;

const Decision& Explanation::decision() const noexcept { return state_->pass.decision; }

Result<PodAnswer> Explanation::pod(PodGroupId equivalence_group, std::optional<PodIndex> pod) {
    const std::optional<PodGroupIndex> pod_group =
        pass_context::find_pod_group(state_->context, equivalence_group);
    if (!pod_group)
        return fail(ErrorCode::not_found, "no pod of this equivalence group is pending");
    PodAnswer out;
    out.pods.equivalence_group = equivalence_group;
    if (*pod_group < state_->context.pending_count()) {
        const scale_up::Progress& progress = state_->scale_up.progress();
        out.pods = state_->context.pending.pod_groups[*pod_group];
        out.fit = static_cast<std::uint32_t>(progress.fit[*pod_group]);
        out.unschedulable = static_cast<std::uint32_t>(progress.left[*pod_group]);
        out.schedulable = out.pods.count - out.fit - out.unschedulable;
    }
    for (const auto& [group, pods] : state_->schedulable) {
        const auto at = pods.find(*pod_group);
        if (at == pods.end()) continue;
        out.schedulable_on.push_back(
            {state_->context.id(group), static_cast<std::uint32_t>(at->second)});
    }
    scale_up::Reasons& reasons =
        out.unschedulable > 0 ? state_->reasons_after : state_->reasons_before;
    out.groups = reasons.of(*pod_group);
    if (out.unschedulable > 0) {
        UnschedulablePods left{.reason = reasons.sum_up(out.groups), .groups = out.groups};
        out.remedy = remedy_for(left);
        out.because = std::move(left.reason.sentence);
    } else {
        out.because = summary_of(out);
    }
    if (out.unschedulable == 0 && out.schedulable == 0)
        if (std::string awaited = find_awaited(state_->context, state_->before, *pod_group);
            !awaited.empty())
            out.because = std::move(awaited);
    if (pod)
        out.skipped = pods::why_skipped(state_->cluster, *state_->context.settings,
                                        state_->context.time, *pod);
    if (!out.skipped.is_none()) {
        out.because = "does not count as pending: " + out.skipped.sentence;
        out.remedy = remedy_for(out.skipped, {});
    }
    out.because = state_->with_time_left(std::move(out.because));
    for (GroupReason& of_groups : out.groups)
        of_groups.reason.sentence = state_->with_time_left(std::move(of_groups.reason.sentence));
    return out;
}

namespace {

std::vector<NotSimilar> by_reason(std::vector<std::pair<NodeGroupId, std::string>> all) {
    std::vector<NotSimilar> out;
    for (auto& [group, because] : all) {
        auto at = std::ranges::find(out, because, &NotSimilar::because);
        if (at == out.end()) at = out.insert(at, {.groups = {}, .because = std::move(because)});
        at->groups.push_back(std::move(group));
    }
    return out;
}

}  // namespace

Result<GroupAnswer> Explanation::group(const NodeGroupId& id) {
    const auto groups = state_->context.groups();
    const auto at = std::ranges::find(groups, id, [](const Group& g) { return g.group.id; });
    if (at == groups.end()) {
        return fail(ErrorCode::not_found, "node group " + in_quotes(id.value()) + " not found");
    }
    const auto index = static_cast<GroupIndex>(at - groups.begin());
    const templates::GroupTemplate& node = state_->context.templates[index];
    GroupAnswer out{.group = id, .template_source = node.because};
    Reason obstacle = scale_up::QuotaTracker(state_->context).obstacle(index);
    out.remedy = remedy_for(obstacle, {&id, 1});
    out.obstacle = state_->with_time_left(std::move(obstacle.sentence));
    const auto listed =
        std::ranges::find(*state_->listed, id, [](const Group& g) { return g.group.id; });
    if (listed != state_->listed->end())
        out.target_because =
            health::why_target_counts(*listed, *state_->listed, state_->pass.memory);
    if (at->group.max) out.headroom = state_->context.headrooms[index].nodes;
    out.upcoming = state_->context.health.groups[index].upcoming;
    out.increase = state_->scale_up.progress().quotas.grown(index);
    out.similar = state_->scale_up.similar_to(index);
    out.not_similar = by_reason(state_->scale_up.not_similar_to(index));
    const pass_context::PassContext& context = state_->context;
    out.comparison = templates::compare_template(*context.snapshot, context.membership, index,
                                                 *context.settings, context.time.wall);
    if (node.node == nullptr) return out;
    for (PodGroupIndex s = 0; s < state_->context.pending_count(); ++s) {
        out.pod_groups.push_back(
            {state_->context.pending.pod_groups[s], refusal_of(state_->before, s, index).sentence});
    }
    return out;
}

Result<NodeVerdict> Explanation::node(std::string_view name) const {
    const auto& nodes = decision().nodes;
    const auto at = std::ranges::lower_bound(nodes, name, {}, &NodeVerdict::node);
    if (at != nodes.end() && at->node == name) return *at;
    return fail(ErrorCode::not_found, "node " + in_quotes(name) + " not found");
}

const std::string& Explanation::unhealthy_because() const noexcept {
    return state_->context.health.unhealthy_because;
}

std::string Explanation::state_of(std::string_view name) const {
    const pass_context::PassContext& context = state_->context;
    const std::optional<NodeIndex> index = context.snapshot->cluster.find_node(name);
    if (!index) return {};
    const snapshot::NodeRow& node = context.snapshot->cluster.node(*index);
    std::vector<std::string> out;
    if (!node.ready)
        out.push_back("not ready" +
                      (node.ready_since == Time()
                           ? ""
                           : " for " + format_rough_duration(
                                           context.now - context.time.measured(node.ready_since))));
    switch (context.health.readiness[*index]) {
        case health::Readiness::deleted: out.emplace_back("being deleted"); break;
        case health::Readiness::suspended: out.emplace_back("suspended"); break;
        case health::Readiness::long_starting:
            out.emplace_back("has not finished starting in time");
            break;
        case health::Readiness::starting: out.emplace_back("still starting"); break;
        case health::Readiness::ready:
        case health::Readiness::unready: break;
    }
    if (node.unschedulable) out.emplace_back("cordoned");
    return listed(out, std::identity());
}

std::optional<NodeMachine> Explanation::machine_of(std::string_view node) const {
    const pass_context::PassContext& context = state_->context;
    const std::optional<NodeIndex> index = context.snapshot->cluster.find_node(node);
    if (!index) return std::nullopt;
    if (const auto place = context.membership.machine_of[*index]) {
        const Group& group = context.groups()[place->group];
        const Machine& machine = group.machines[place->machine];
        NodeMachine out{group.cloud, machine, group.group.template_fingerprint};
        if (machine.leaves) {
            const health::Departure* const departure =
                health::find_departure(context.health.leaving, *index);
            out.leaves = leaving_text(*machine.leaves) + "; " +
                         health::describe_departure(
                             departure == nullptr ? std::nullopt : std::optional(*departure),
                             *context.settings);
        }
        return out;
    }
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    return machine_of_no_group(*context.snapshot, cluster.text(cluster.node(*index).provider_id));
}

std::string Explanation::remedy_of(const NodeVerdict& verdict) const {
    if (verdict.reason != Unremovable::blocked_by_pod) return remedy_for(verdict, {});
    const pass_context::PassContext& context = state_->context;
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    const auto node = cluster.find_node(verdict.node);
    if (!node) return {};
    const drainability::DrainContext rules{cluster, *context.settings, context.budgets,
                                           context.time};
    for (const PodIndex pod : cluster.pods_on(*node))
        if (drainability::full_name(cluster, pod) == verdict.pod) {
            const drainability::DrainVerdict judged = drainability::judge(pod, rules);
            const bool is_blocked = judged.drain == drainability::Drain::block;
            return remedy_for(verdict, is_blocked ? judged.rule : std::string_view());
        }
    return {};
}

Matrix Explanation::matrix() {
    const pass_context::PassContext& context = state_->context;
    Matrix out{.pod_groups = context.pending.pod_groups, .skipped = decision().skipped};
    std::map<std::string, std::uint32_t> numbers;
    const auto number_of = [&](Reason reason) {
        const auto [at, is_new] = numbers.try_emplace(reason.sentence, out.texts.size());
        if (is_new) {
            out.texts.push_back(state_->with_time_left(std::move(reason.sentence)));
            out.reasons.push_back({.code = reason.code, .subject = std::move(reason.subject)});
        }
        return at->second;
    };
    number_of({});
    for (GroupIndex g = 0; g < context.groups().size(); ++g) out.groups.push_back(context.id(g));
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        // By what tells groups apart.
        std::map<std::pair<std::string, std::optional<TemplateNodeId>>, std::uint32_t> known;
        for (GroupIndex g = 0; g < context.groups().size(); ++g) {
            const bool has_template = context.templates[g].node != nullptr;
            const auto [at, is_new] = known.try_emplace(
                {state_->reasons_before.obstacle(g).sentence,
                 has_template ? std::optional(context.predicates->equivalent(g)) : std::nullopt});
            if (is_new) at->second = number_of(state_->reasons_before.of_group(s, g));
            out.cells.push_back(at->second);
        }
    }
    return out;
}

}  // namespace capstan::engine::pass
