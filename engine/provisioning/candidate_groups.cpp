#include "engine/provisioning/candidate_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/taints.hpp>
#include <capstan/well_known.hpp>

#include "engine/scale_up/initial_placement.hpp"

namespace capstan::engine::provisioning {
namespace {

/// The pods without room, which the sources are asked about.
std::vector<PodEquivalenceGroup> find_waiting(const pass_context::PassContext& context,
                                              const scale_up::Progress& progress) {
    std::vector<PodEquivalenceGroup> out;
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        if (progress.left[s] == 0) continue;
        const PodCount& pods = context.pending.pod_groups[s];
        const std::string_view name =
            std::string_view(pods.example).substr(pods.example.find('/') + 1);
        out.push_back(snapshot::describe(context.snapshot->cluster, pods.equivalence_group, name,
                                         static_cast<std::uint32_t>(progress.left[s])));
    }
    return out;
}

/// The labels that all nodes of a group have: without the hostname.
Labels shared_labels(Labels labels) {
    labels.erase(std::string(well_known::hostname_label));
    return labels;
}

constexpr const char* no_machine_types = "no cloud offers machine types for new groups";

bool has_machine_types(const Snapshot& snapshot) {
    return snapshot.machines != nullptr &&
           std::ranges::any_of(*snapshot.machines, [](const CloudMachines& machines) {
               return !machines.types.empty();
           });
}

/// Asks the sources and filters their suggestions.
class GroupSearch {
public:
    GroupSearch(const pass_context::PassContext& context, const Policies& policies,
                const CallContext& call_context)
        : context_(context),
          policies_(policies),
          call_context_(call_context),
          initial_(scale_up::place_pending(context)),
          waiting_(find_waiting(context, initial_.progress)),
          out_{.snapshot = *context.snapshot} {
        for (GroupIndex g = 0; g < context.groups().size(); ++g)
            existing_.push_back({&context.groups()[g].group, context.templates[g].node.get()});
    }

    CandidateGroups run() {
        if (waiting_.empty()) return std::move(out_);
        if (!has_machine_types(*context_.snapshot)) {
            // A cloud that was not read yet may have machine types.
            if (context_.snapshot->unread.empty())
                leave_out({}, {}, {ReasonCode::not_created, {}, no_machine_types});
            set_no_new_group_reason();
            return std::move(out_);
        }
        for (const CloudMachines& machines : *context_.snapshot->machines) {
            for (const NamedSource& source : policies_.group_sources) ask(source, machines);
        }
        out_.snapshot = with_groups(*context_.snapshot, std::move(groups_));
        std::ranges::sort(out_.candidates, {}, [](const NewGroup& candidate) {
            return std::tie(candidate.cloud, candidate.plan.name, candidate.plan.machine_type,
                            candidate.dropped.sentence);
        });
        set_no_new_group_reason();
        return std::move(out_);
    }

private:
    void ask(const NamedSource& source, const CloudMachines& machines) {
        const GroupsQuestion question{.pods = waiting_,
                                      .machines = machines.types,
                                      .existing = existing_,
                                      .room = initial_.progress.quotas.left(),
                                      .cloud = machines.cloud};
        Result<GroupsAnswer> answer = source.source->suggest(question, call_context_);
        if (!answer) {
            out_.notes.push_back("group source " + source.name +
                                 " failed; no group is created: " + answer.error().message);
            return;
        }
        if (const auto& most = answer->most_groups)
            out_.most_groups = std::min(out_.most_groups.value_or(*most), *most);
        bool is_first = true;
        for (auto& [type, because] : answer->left_out) {
            Reason reason = why_left_out(type, std::move(because), machines);
            if (reason.is_none()) continue;
            if (std::exchange(is_first, false)) nearest_.push_back(reason);
            leave_out(machines.cloud, std::move(type), std::move(reason));
        }
        for (auto& [plan, because] : answer->groups)
            consider(
                {.cloud = machines.cloud, .plan = std::move(plan), .because = std::move(because)},
                machines);
    }

    void leave_out(const PluginInstanceId& cloud, std::string type, Reason reason) {
        if (type.empty()) nearest_.push_back(reason);
        out_.candidates.push_back({.cloud = cloud,
                                   .plan = {.machine_type = std::move(type)},
                                   .dropped = std::move(reason)});
    }

    /// The reason of a machine type that a source left out. None: the type is not to be reported
    /// for this cloud, because another cloud has it or it was reported already. A source that is
    /// asked about one cloud does not know what
    /// the others have.
    Reason why_left_out(const std::string& type, std::string because,
                        const CloudMachines& machines) {
        const auto has_it = [&](const CloudMachines& cloud) {
            return std::ranges::binary_search(cloud.types, type, {}, &MachineType::name);
        };
        Reason out{ReasonCode::not_created, {}, std::move(because)};
        if (!has_it(machines)) {
            const bool is_reported = std::ranges::any_of(*context_.snapshot->machines, has_it) ||
                                     !unoffered_.insert(type).second;
            return is_reported ? Reason() : out;
        }
        const auto at = std::ranges::lower_bound(machines.types, type, {}, &MachineType::name);
        const limits::Allowed allowed =
            initial_.progress.quotas.allows({.capacity = at->capacity}, 1);
        if (allowed.nodes < 1) {
            out.code = ReasonCode::limit_reached;
            out.subject = allowed.reason().subject;
        }
        return out;
    }

    /// Sets no_new_group_reason from the first reasons; a limit comes before any other reason.
    void set_no_new_group_reason() {
        const bool is_any = std::ranges::any_of(out_.candidates, [](const NewGroup& candidate) {
            return !candidate.group.value().empty();
        });
        if (is_any || nearest_.empty()) return;
        std::ranges::stable_partition(
            nearest_, [](const Reason& r) { return r.code == ReasonCode::limit_reached; });
        out_.no_new_group_reason = nearest_.front();
        out_.no_new_group_reason.sentence = "no group could be created: ";
        std::set<std::string_view> seen;
        for (const Reason& reason : nearest_)
            if (seen.insert(reason.sentence).second)
                out_.no_new_group_reason.sentence +=
                    (seen.size() > 1 ? "; " : "") + reason.sentence;
    }

    void consider(NewGroup candidate, const CloudMachines& machines) {
        candidate.group = NodeGroupId(candidate.plan.name);
        candidate.dropped = why_not(candidate, machines);
        out_.candidates.push_back(std::move(candidate));
    }

    static Reason not_created(std::string because) {
        return {ReasonCode::not_created, {}, std::move(because)};
    }

    /// Adds the candidate to the groups, or returns why not.
    Reason why_not(NewGroup& candidate, const CloudMachines& machines) {
        const auto type =
            std::ranges::find(machines.types, candidate.plan.machine_type, &MachineType::name);
        if (type == machines.types.end())
            return not_created("the cloud does not offer this machine type");
        const MachineOffering* offer = find_offer(*type, candidate.plan);
        const NodeTemplate sketch = make_sketch(*type, offer, candidate.plan);
        if (auto refusal = why_no_pod_fits(sketch, waiting_))
            return not_created(*std::move(refusal));
        const limits::Allowed allowed = initial_.progress.quotas.allows(sketch, 1);
        if (allowed.nodes < 1) return allowed.reason();
        Result<CandidateGroup> candidate_group =
            policies_.maker->new_group(candidate.cloud, candidate.plan, call_context_);
        if (!candidate_group) return not_created(refused(candidate_group.error()));
        candidate.group = candidate_group->planned.group.id;
        if (!candidate_group->price_per_hour && offer != nullptr)
            candidate_group->price_per_hour = offer->price_per_hour;
        Group group = as_group(*std::move(candidate_group), candidate.cloud, candidate.plan);
        if (!taken_.insert(group.group.id).second) return not_created("suggested twice");
        if (std::string like = find_equivalent(group); !like.empty())
            return not_created(std::move(like));
        groups_.push_back(std::move(group));
        return {};
    }

    std::string refused(const Error& error) {
        // A cloud that fails gives the same error for thousands of plans.
        const bool is_trouble = error.code != ErrorCode::unsupported;
        if (is_trouble && reported_errors_.insert(error.message).second)
            out_.notes.push_back(error.message);
        return "the cloud cannot create this group: " + error.message;
    }

    /// A sentence that names an equivalent existing group; empty: there is none.
    std::string find_equivalent(const Group& made) const {
        for (GroupIndex g = 0; g < context_.groups().size(); ++g) {
            const Group& group = context_.groups()[g];
            if (group.group.id == made.group.id) return "already exists";
            if (group.cloud != made.cloud || group.described == nullptr ||
                group.price_per_hour != made.price_per_hour) {
                continue;
            }
            const NodeTemplate& there = *group.described;
            const NodeTemplate& new_one = *made.described;
            const bool is_equivalent = there.capacity == new_one.capacity &&
                                       there.allocatable == new_one.allocatable &&
                                       there.taints == new_one.taints &&
                                       shared_labels(there.labels) == shared_labels(new_one.labels);
            // An equivalent autoprovisioned group counts even if it cannot grow: no second one is
            // made under another name.
            const bool counts =
                group.group.autoprovisioned || initial_.progress.quotas.obstacle(g).is_none();
            if (is_equivalent && counts)
                return "group " + group.group.id.value() + " is equivalent";
        }
        return {};
    }

    const pass_context::PassContext& context_;
    const Policies& policies_;
    const CallContext& call_context_;
    const scale_up::InitialPlacement initial_;
    const std::vector<PodEquivalenceGroup> waiting_;
    std::vector<GroupsQuestion::Existing> existing_;
    std::vector<Group> groups_;
    std::set<NodeGroupId> taken_;
    std::set<std::string> reported_errors_;
    std::set<std::string> unoffered_;  // machine types that no cloud has
    std::vector<Reason> nearest_;      // the first reason of each source for each cloud
    CandidateGroups out_;
};

}  // namespace

CandidateGroups find_candidate_groups(const Snapshot& snapshot, const Memory& memory,
                                      const Policies& policies, const Settings& settings,
                                      const CallContext& call_context) {
    if (policies.group_sources.empty() || policies.maker == nullptr) return {.snapshot = snapshot};
    const pass_context::PassContext context =
        pass_context::make_pass_context(snapshot, memory, settings, call_context.time());
    return GroupSearch(context, policies, call_context).run();
}

std::vector<GroupCreation> find_creations(const pass_context::PassContext& context,
                                          const std::vector<Increase>& increases,
                                          const std::vector<NewGroup>& candidates) {
    std::map<NodeGroupId, std::string_view> reasons;
    for (const NewGroup& candidate : candidates)
        reasons.try_emplace(candidate.group, candidate.because);
    std::vector<GroupCreation> out;
    for (const Increase& increase : increases) {
        const Group* const group = find_group(context.groups(), increase.group);
        if (group == nullptr || group->plan == nullptr) continue;
        out.push_back({.group = increase.group,
                       .cloud = increase.cloud,
                       .plan = *group->plan,
                       .because = std::string(reasons[increase.group])});
    }
    return out;
}

Group as_group(CandidateGroup candidate_group, const PluginInstanceId& cloud,
               const GroupPlan& plan) {
    Group out{
        .group = std::move(candidate_group.planned.group),
        .cloud = cloud,
        .described = std::make_shared<const NodeTemplate>(std::move(candidate_group.planned.node)),
        .options = candidate_group.options,
        .price_per_hour = candidate_group.price_per_hour,
        .plan = std::make_shared<const GroupPlan>(plan)};
    out.group.target = 0;
    return out;
}

Snapshot with_groups(const Snapshot& snapshot, std::vector<Group> more) {
    if (more.empty()) return snapshot;
    std::vector<Group> groups = *snapshot.groups;
    std::ranges::move(more, std::back_inserter(groups));
    // Among equal ids the existing group comes first.
    std::vector<std::size_t> order(groups.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) {
        return std::pair(std::string_view(groups[i].group.id.value()), i);
    });
    std::vector<Group> sorted;
    sorted.reserve(groups.size());
    for (const std::size_t i : order) {
        if (!sorted.empty() && sorted.back().group.id == groups[i].group.id) continue;
        sorted.push_back(std::move(groups[i]));
    }
    Snapshot out = snapshot;
    out.groups = std::make_shared<const std::vector<Group>>(std::move(sorted));
    return out;
}

namespace {

/// Why the pod would not run on such a node; empty: it would.
std::string why_not_on_sketch(const NodeTemplate& sketch, const PodEquivalenceGroup& pod) {
    if (!selects(pod, sketch.labels, {})) return "it selects other labels";
    if (const Taint* taint = find_untolerated(sketch.taints, pod.tolerations))
        return "it does not tolerate " + to_string(*taint);
    return find_shortage(pod.requests, sketch.allocatable).value_or("");
}

}  // namespace

NodeTemplate make_sketch(const MachineType& type, const MachineOffering* offer,
                         const GroupPlan& plan) {
    NodeTemplate out{.name = plan.name,
                     .machine_type = type.name,
                     .zone = plan.zone,
                     .labels = plan.labels,
                     .taints = plan.taints,
                     .capacity = type.capacity,
                     .allocatable = type.allocatable,
                     .free = type.allocatable};
    if (offer != nullptr) out.labels.insert(offer->labels.begin(), offer->labels.end());
    out.labels.insert(type.labels.begin(), type.labels.end());
    out.taints.insert(out.taints.end(), type.taints.begin(), type.taints.end());
    return out;
}

const MachineOffering* find_offer(const MachineType& type, const GroupPlan& plan) noexcept {
    const auto at = std::ranges::find_if(type.offerings, [&](const MachineOffering& offer) {
        return offer.zone == plan.zone && offer.spot == plan.spot;
    });
    return at == type.offerings.end() ? nullptr : &*at;
}

std::optional<std::string> why_no_pod_fits(const NodeTemplate& sketch,
                                           std::span<const PodEquivalenceGroup> pods) {
    std::string first;
    for (const PodEquivalenceGroup& pod : pods) {
        const std::string refusal = why_not_on_sketch(sketch, pod);
        if (refusal.empty()) return std::nullopt;
        if (first.empty()) first = "pod " + pod.ns + "/" + pod.example + ": " + refusal;
    }
    return "no pending pod fits on it" + (first.empty() ? "" : "; " + first);
}

}  // namespace capstan::engine::provisioning
