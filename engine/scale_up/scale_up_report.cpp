#include "engine/scale_up/scale_up_report.hpp"

#include <algorithm>
#include <set>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/scale_up/reasons.hpp"

namespace capstan::engine::scale_up {
namespace {

/// The increases: one for each group, however many options it has a part in.
class Increases {
public:
    explicit Increases(ScaleUp& scale_up)
        : scale_up_(scale_up),
          schedulable_(count_schedulable(scale_up.placement(), scale_up.first_new())) {}

    std::vector<Increase> list() {
        const auto& accepted_options = scale_up_.progress().accepted_options;
        for (std::size_t option = 0; option < accepted_options.size(); ++option) {
            for (const GroupIncrease& growth : accepted_options[option].increases)
                add(growth, option);
        }
        for (std::size_t i = 0; i < out_.size(); ++i) finish(out_[i], parts_[i]);
        return std::move(out_);
    }

private:
    struct Part {
        GroupIndex group = 0;
        std::int64_t options = 0;
        std::set<std::string> roles{};
    };

    void add(const GroupIncrease& growth, std::size_t option) {
        auto at = std::ranges::find(parts_, growth.group, &Part::group);
        if (at == parts_.end()) {
            const Group& group = scale_up_.context().groups()[growth.group];
            out_.push_back({.group = group.group.id,
                            .cloud = group.cloud,
                            .from = scale_up_.context().target(growth.group),
                            .option = option});
            at = parts_.insert(parts_.end(), {.group = growth.group});
        }
        out_[static_cast<std::size_t>(at - parts_.begin())].by += growth.nodes;
        ++at->options;
        at->roles.insert(growth.role);
    }

    void finish(Increase& increase, const Part& part) {
        const NodeGroup& group = scale_up_.context().groups()[part.group].group;
        CAPSTAN_ASSERT(increase.by > 0, "an increase by no nodes");
        CAPSTAN_ASSERT(!group.max || std::int64_t{increase.from} + increase.by <= *group.max,
                       "an increase beyond the maximum of its group");
        std::int64_t pods = 0;
        for (const auto& [pod_group, count] : schedulable_[part.group]) pods += count;
        increase.schedulable_pods = static_cast<std::uint32_t>(pods);
        // If the role differs from option to option, none of the roles describes the increase.
        std::string role = part.roles.size() == 1 ? *part.roles.begin() : std::string();
        if (part.options > 1) {
            role += (role.empty() ? "chosen in " : ", chosen in ") +
                    counted(part.options, "scale-up option");
        }
        increase.because =
            role + (role.empty() ? "" : ", ") + "makes room for " + counted(pods, "pod");
    }

    ScaleUp& scale_up_;
    SchedulablePods schedulable_;
    std::vector<Increase> out_;
    std::vector<Part> parts_;  // as out_
};

PodCount some_of(const PodCount& pods, int count) {
    return {pods.equivalence_group, pods.example, static_cast<std::uint32_t>(count)};
}

void report_pods(ScaleUp& scale_up, Decision& decision) {
    const Progress& progress = scale_up.progress();
    Reasons reasons(scale_up.context(), progress.quotas, scale_up.placement(), progress.stopped);
    std::uint32_t fit = 0;
    const auto& pod_groups = scale_up.context().pending.pod_groups;
    for (PodGroupIndex s = 0; s < pod_groups.size(); ++s) {
        fit += static_cast<std::uint32_t>(progress.fit[s]);
        const int left = progress.left[s];
        const int schedulable = static_cast<int>(pod_groups[s].count) - progress.fit[s] - left;
        CAPSTAN_ASSERT(left >= 0 && schedulable >= 0, "more pods are reported than are pending");
        if (schedulable > 0) decision.schedulable.push_back(some_of(pod_groups[s], schedulable));
        if (left == 0) continue;
        UnschedulablePods unschedulable{.pods = some_of(pod_groups[s], left)};
        if (decision.unschedulable.size() < max_explained_pod_groups) {
            unschedulable.groups = reasons.of(s);
            unschedulable.reason = reasons.sum_up(unschedulable.groups);
        } else {
            unschedulable.reason = {ReasonCode::not_explained,
                                    {},
                                    "not explained: a pass explains at most " +
                                        std::to_string(max_explained_pod_groups) +
                                        " kinds of unschedulable pods"};
        }
        decision.unschedulable.push_back(std::move(unschedulable));
    }
    decision.skipped = scale_up.context().pending.skipped;
    if (fit > 0)
        decision.skipped.push_back({.count = fit, .because = "fit on existing or upcoming nodes"});
}

/// Notes for groups that a limit or a missing template keeps from growing: one for each sentence.
void add_group_notes(const ScaleUp& scale_up, bool any_left, std::vector<std::string>& notes) {
    const pass_context::PassContext& context = scale_up.context();
    const QuotaTracker& quotas = scale_up.progress().quotas;
    std::map<std::string, std::vector<NodeGroupId>> by_sentence;
    for (GroupIndex g = 0; g < context.groups().size(); ++g) {
        if (context.groups()[g].plan != nullptr) continue;  // listed in Decision::new_groups
        const bool was_open = context.headrooms[g].obstacle.is_none();
        const bool is_limited = was_open && any_left && quotas.room(g) > 0;
        const std::string sentence = is_limited || context.templates[g].node == nullptr
                                         ? quotas.obstacle(g).sentence
                                         : std::string();
        if (!sentence.empty()) by_sentence[sentence].push_back(context.id(g));
    }
    for (const auto& [sentence, groups] : by_sentence) {
        notes.push_back(listed(groups, [](const NodeGroupId& id) { return id.value(); }) + ": " +
                        sentence);
    }
}

}  // namespace

Decision make_decision(ScaleUp& scale_up) {
    const ScopedPassPhase phase(scale_up.context().phase_observer, PassPhase::explain);
    const Progress& progress = scale_up.progress();
    Decision decision;
    decision.increases = Increases(scale_up).list();
    for (const AcceptedOption& accepted : progress.accepted_options)
        decision.options.push_back(accepted.chosen);
    report_pods(scale_up, decision);
    decision.notes = scale_up.context().pending.notes;
    decision.notes.insert(decision.notes.end(), progress.notes.begin(), progress.notes.end());
    add_group_notes(scale_up, !decision.unschedulable.empty(), decision.notes);
    return decision;
}

PassFigures figures_of(const ScaleUp& scale_up, const Decision& decision) {
    const pass_context::PassContext& context = scale_up.context();
    PassFigures out{.untried_pods = context.pending.untried,
                    .left_out_pods = context.pending.left_out,
                    .searches_in_time = scale_up.searches_in_time()};
    for (GroupIndex g = 0; !decision.unschedulable.empty() && g < context.groups().size(); ++g) {
        const std::string total = scale_up.progress().quotas.total_at_limit(g);
        if (!total.empty()) ++out.at_maximum[total];
    }
    return out;
}

}  // namespace capstan::engine::scale_up
