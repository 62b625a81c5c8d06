#include "engine/scale_up/scale_up.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/scale_up/share_out.hpp"
#include "engine/scale_up/spare_nodes.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Each attempt learns where the one before got stuck. After the last one the constraints are
/// obeyed as they stand, without a plan.
constexpr int max_attempts = 4;

/// An option names at most this many similar groups that get none of its nodes.
constexpr std::size_t max_left_out = 50;

}  // namespace

ScaleUp::ScaleUp(InitialPlacement initial, const Policies& policies,
                 const CallContext& call_context)
    : policies_(&policies),
      call_context_(call_context),
      initial_(std::move(initial)),
      start_(initial_.placement.mark()),
      similar_(context(), policies, call_context_),
      expanders_(context(), policies, call_context, initial_.progress.left),
      maker_(context(), similar_, initial_.placement, expanders_.pod_indices()),
      plan_(initial_.placement, learned_limits_, initial_.has_zones),
      turns_(context().pending_count(), SpreadTurn::with_others) {}

void ScaleUp::run() {
    // A single option cannot fill several zones, so a plan for them would never be completed.
    if (!context().settings->one_option_per_pass) {
        turns_ = find_turns(initial_.placement, context().pending_count(), initial_.has_zones);
    }
    const Progress before = initial_.progress;
    take_turns();
    const std::vector<GroupIndex> retries = find_retries();
    if (are_spread_over_others(retries)) {
        begin_anew(before);
        close_others(retries);
        take_turns();
        // Their nodes may be of use only together with those of the others.
        if (find_retries().empty()) {
            begin_anew(before);
            take_turns();
        }
    }
    SpareNodes spare(initial_, start_, plan_.ended());
    while (spare.drop_spare_nodes() && initial_.progress.stopped.empty()) take_options();
    for (const std::string& failure : similar_.failures())
        initial_.progress.notes.push_back(failure);
}

std::vector<NodeGroupId> ScaleUp::similar_to(GroupIndex group) {
    std::vector<NodeGroupId> out;
    for (const GroupIndex other : similar_.all_of(group))
        if (!similar_.price_gap(group, other)) out.push_back(context().id(other));
    return out;
}

std::vector<std::pair<NodeGroupId, std::string>> ScaleUp::not_similar_to(GroupIndex group) {
    std::vector<std::pair<NodeGroupId, std::string>> out;
    for (GroupIndex other = 0; other < context().groups().size(); ++other) {
        if (other == group || context().groups()[other].plan != nullptr) continue;
        if (std::string why = similar_.why_different(group, other); !why.empty())
            out.emplace_back(context().id(other), std::move(why));
    }
    return out;
}

void ScaleUp::take_turns() {
    for (const SpreadTurn turn :
         {SpreadTurn::with_others, SpreadTurn::after_others, SpreadTurn::after_everything}) {
        if (std::ranges::find(turns_, turn) != turns_.end()) take_turn(turn);
    }
}

void ScaleUp::begin_anew(const Progress& before) {
    initial_.placement.undo(start_);
    initial_.progress = before;
    learned_limits_.clear();
    beyond_limit_.clear();
    plan_ = SpreadPlan(initial_.placement, learned_limits_, initial_.has_zones);
}

std::vector<GroupIndex> ScaleUp::find_retries() {
    std::vector<GroupIndex> out;
    for (const auto& [group, pods] : count_schedulable(initial_.placement, initial_.first_new))
        if (context().headrooms[group].failed_last) out.push_back(group);
    return out;
}

/// Whether pods of a spread constraint over zones are on new nodes of these groups and of others.
bool ScaleUp::are_spread_over_others(std::span<const GroupIndex> retries) {
    if (retries.empty()) return false;
    std::set<PodGroupIndex> on_retries, on_others;
    for (const auto& [group, pods] : count_schedulable(initial_.placement, initial_.first_new)) {
        const bool is_retry = std::ranges::find(retries, group) != retries.end();
        for (const auto& [pod_group, count] : pods)
            (is_retry ? on_retries : on_others).insert(pod_group);
    }
    return std::ranges::any_of(on_retries, [&](PodGroupIndex s) {
        const PodGroupId id = context().predicates->pod_groups()[s];
        return on_others.contains(s) &&
               std::ranges::any_of(context().snapshot->cluster.spread(id), [](const auto& one) {
                   return one.topology_key != well_known::hostname_label;
               });
    });
}

void ScaleUp::close_others(std::span<const GroupIndex> retries) {
    const NodeGroupId& first = context().id(retries.front());
    const std::string why = "group " + first.value() + ", which failed last time, is tried first";
    for (GroupIndex group = 0; group < context().groups().size(); ++group)
        if (std::ranges::find(retries, group) == retries.end())
            initial_.progress.quotas.close(
                group, {ReasonCode::pass_stopped, {SubjectKind::group, first.value()}, why});
}

void ScaleUp::take_turn(SpreadTurn turn) {
    turn_ = turn;
    const scheduling::Placement::Mark mark = initial_.placement.mark();
    const Progress before = initial_.progress;
    for (int attempts = 1; attempts <= max_attempts && !attempt(); ++attempts) {
        learned_limits_ = plan_.learn();
        plan_.forget();
        beyond_limit_.clear();
        initial_.placement.undo(mark);
        initial_.progress = before;
    }
    plan_.end();
    take_options();
}

template <class Wanted>
bool ScaleUp::assign_waiting(Wanted is_wanted) {
    const std::vector<int> pods = waiting();
    const auto end = static_cast<scheduling::Slot>(initial_.placement.slot_count());
    if (end == initial_.first_new && plan_.empty()) return false;
    bool any = false;
    for (PodGroupIndex s = 0; s < pods.size(); ++s) {
        if (pods[s] == 0 || !is_wanted(s)) continue;
        const bool looks = context().predicates->has_inter_pod_constraints(s);
        any = initial_.assign(s, looks ? 0 : initial_.first_new, end) || any;
    }
    return any;
}

/// False: the plan was carried out only in part, and so a constraint is broken.
bool ScaleUp::attempt() {
    make_plan();
    // Nodes of the turns before may have room left. Planned pods may fit on existing nodes, too,
    // since the other domains are going to grow. Planned pods that are also spread over hosts have
    // to wait until all hosts are there.
    assign_waiting([&](PodGroupIndex s) { return !plan_.is_planned(s) || is_spread_once(s); });
    take_options();
    return plan_.holds();
}

void ScaleUp::make_plan() {
    if (context().settings->one_option_per_pass) return;
    const std::vector<TemplateNodeId> template_nodes =
        growing_template_nodes(context(), initial_.progress.quotas);
    const std::vector<int> pods = waiting();
    for (PodGroupIndex s = 0; s < turns_.size(); ++s) {
        if (pods[s] == 0 || turns_[s] != turn_) continue;
        // If other pods have filled the zones unevenly and the hosts are to be even as well, there
        // may be no order in which these pods can be placed.
        if (turn_ == SpreadTurn::after_everything && !is_spread_once(s)) continue;
        plan_.plan(s, pods[s], template_nodes, initial_.passed_over);
    }
}

bool ScaleUp::is_spread_once(PodGroupIndex pod_group) const {
    const PodGroupId id = context().predicates->pod_groups()[pod_group];
    return context().snapshot->cluster.spread(id).size() == 1;
}

std::vector<int> ScaleUp::waiting() const {
    std::vector<int> out = initial_.progress.left;
    for (PodGroupIndex s = 0; s < turns_.size(); ++s) {
        if (turns_[s] > turn_) out[s] = 0;
    }
    return out;
}

void ScaleUp::take_options() {
    while (initial_.progress.stopped.empty() && (take_option() || assign_late())) {
    }
}

std::vector<Option> ScaleUp::make_options(const std::vector<int>& pods) {
    const ScopedPassPhase phase(context().phase_observer, PassPhase::make_options);
    return maker_.make(pods, initial_.progress.quotas, plan_);
}

/// At least one option is taken, so that a pass that is always out of time makes progress.
bool ScaleUp::is_out_of_time() {
    if (!searches_in_time_) {
        const bool is_reached =
            call_context_.searches_max
                ? searches_ >= *call_context_.searches_max
                : policies_->time_limit != nullptr && policies_->time_limit->is_reached();
        if (is_reached) searches_in_time_ = searches_;
    }
    return searches_in_time_ && !initial_.progress.accepted_options.empty();
}

bool ScaleUp::take_option() {
    Progress& progress = initial_.progress;
    if (is_out_of_time()) {
        progress.stopped = "this pass has planned scale-up for " +
                           format_duration(context().settings->max_binpacking_time) +
                           " (scale_up.max_binpacking_time); the next pass goes on";
        progress.notes.push_back(progress.stopped);
        return false;
    }
    ++searches_;
    const std::vector<int> pods = waiting();
    std::vector<Option> options = make_options(pods);
    if (options.empty()) return false;
    const Settings& settings = *context().settings;
    if (std::ssize(progress.accepted_options) >= settings.max_options_per_pass) {
        progress.stopped = "this pass already took " +
                           std::to_string(settings.max_options_per_pass) + " options, the maximum";
        return false;
    }
    Choice choice = expanders_.ask(options, pods, progress.quotas);
    if (!choice.option) {
        progress.stopped = std::move(choice.because);
        progress.notes.push_back(progress.stopped);
        return false;
    }
    const Option& option = options[*choice.option];
    ChosenOption chosen{.group = context().id(option.group),
                        .nodes = option.nodes,
                        .considered = options.size(),
                        .stages = std::move(choice.stages),
                        .because = std::move(choice.because)};
    carry_out(options, *choice.option, std::move(chosen));
    return true;
}

/// Pods with inter-pod constraints may fit now where they did not before, and any pod may fit on
/// room that an option left.
bool ScaleUp::assign_late() {
    return assign_waiting([](PodGroupIndex) { return true; });
}

// The part of ScaleUp that carries an option out on the placement.

std::vector<GroupIndex> ScaleUp::sharing_groups(std::vector<Option>& options, std::size_t chosen,
                                                std::vector<GroupIndex>& unmade) {
    Option& option = options[chosen];
    const QuotaTracker& quotas = initial_.progress.quotas;
    std::vector<GroupIndex> out;
    std::ranges::copy_if(similar_.of(option.group), std::back_inserter(out),
                         [&](GroupIndex other) { return quotas.obstacle(other).is_none(); });
    out.insert(std::ranges::lower_bound(out, option.group), option.group);
    unmade = drop_new_siblings(out, options, chosen, quotas);
    std::erase_if(option.similar,
                  [&](GroupIndex group) { return std::ranges::binary_search(unmade, group); });
    return out;
}

/// Shares the option's nodes out and puts its pods on them. Nodes that stay empty are dropped,
/// except in groups that are only ever empty or full.
OptionOutcome ScaleUp::share(const Option& option) {
    BalancedIncreases given =
        share_out(context(), initial_.progress.quotas, *policies_, call_context_, option);
    std::vector<Supply> supplies;
    for (const Share& to : given.shares) supplies.push_back({to.group, to.nodes});
    OptionOutcome out{.note = std::move(given.note)};
    out.schedulable =
        Packing(initial_.placement).pack(supplies, option.estimate->schedulable).schedulable;
    for (std::size_t i = 0; i < supplies.size(); ++i) {
        const int unused = supplies[i].nodes;
        Share used = given.shares[i];
        CAPSTAN_ASSERT(unused >= 0 && unused <= used.nodes, "more nodes are opened than shared");
        if (unused > 0 && context().headrooms[used.group].atomic) {
            initial_.placement.add(used.group, unused);
        } else {
            used.nodes -= unused;
        }
        if (used.nodes > 0) out.shares.push_back(used);
        out.nodes += used.nodes;
    }
    CAPSTAN_ASSERT(out.nodes <= option.nodes, "more nodes are shared out than the option has");
    return out;
}

/// Compares sharing with pinned pods first against sharing the option alone and placing the pinned
/// pods later. Absent: pinned-first needs more nodes, helps fewer pods, has the same result, or is
/// not tried: if the pods need more nodes than one scale-up may add, only some of them get a node.
std::optional<OptionOutcome> ScaleUp::share_pinned_first(const Option& option,
                                                         std::span<const Demand> pinned,
                                                         std::span<const GroupIndex> groups,
                                                         bool in_any_order) {
    if (groups.size() == 1) return std::nullopt;
    if (pinned.empty() && groups.size() == option.similar.size() + 1) return std::nullopt;
    const int limit = context().settings->max_nodes_per_scale_up;
    const auto known = beyond_limit_.find(groups.front());
    if (known != beyond_limit_.end() && known->second > limit) return std::nullopt;

    scheduling::Placement& placement = initial_.placement;
    const scheduling::Placement::Mark mark = placement.mark();
    const auto first = static_cast<scheduling::Slot>(placement.slot_count());
    const OptionOutcome otherwise = share(option);
    place_later(placement, pinned, groups, first);
    const int needed = count_nodes(placement, first);
    placement.undo(mark);
    if (limit > 0 && needed > limit) {
        beyond_limit_[groups.front()] = needed;
        return std::nullopt;
    }

    PinnedFirst pinned_first(context(), *policies_, call_context_, placement, plan_,
                             initial_.progress.quotas);
    std::optional<OptionOutcome> out = pinned_first.place(option, pinned, groups, in_any_order);
    const bool is_same = out && out->shares == otherwise.shares && out->nodes == needed;
    if (out && !is_same && out->nodes <= needed &&
        helps_as_many(out->schedulable, otherwise.schedulable))
        return out;
    placement.undo(mark);
    return std::nullopt;
}

void ScaleUp::carry_out(std::vector<Option>& options, std::size_t chosen,
                        ChosenOption explanation) {
    Progress& progress = initial_.progress;
    std::vector<GroupIndex> unmade;
    const std::vector<GroupIndex> groups = sharing_groups(options, chosen, unmade);
    const scheduling::Placement::Mark mark = initial_.placement.mark();
    const std::vector<Demand> pinned =
        groups.size() > 1 ? find_pinned(*context().predicates, options, chosen, groups, waiting())
                          : std::vector<Demand>();
    if (groups.size() > 1)
        options[chosen].promised =
            find_promised(options, chosen, groups, waiting(), initial_.placement);
    std::optional<OptionOutcome> pinned_first =
        share_pinned_first(options[chosen], pinned, groups, false);
    if (!pinned_first && !pinned.empty()) {
        if (const auto wider = find_option_with_pinned(options, chosen, pinned, groups)) {
            explanation.because += "; similar group " +
                                   context().id(options[*wider].group).value() +
                                   " also fits pods that fit no other group";
            explanation.group = context().id(options[*wider].group);
            explanation.nodes = options[*wider].nodes;
            return carry_out(options, *wider, std::move(explanation));
        }
        // No group takes them all, so whatever is ordered, these pods may be overtaken.
        pinned_first = share_pinned_first(options[chosen], pinned, groups, true);
    }
    Option option = options[chosen];
    if (pinned_first) {
        option.similar = groups;
        std::erase(option.similar, option.group);
    }
    explanation.left_out = left_out(option, unmade);
    OptionOutcome outcome = pinned_first ? *std::move(pinned_first) : share(option);
    if (!outcome.note.empty()) progress.notes.push_back(std::move(outcome.note));
    if (outcome.schedulable.empty()) {
        initial_.placement.undo(mark);
        // Otherwise the next round would choose the same option, again without a result.
        progress.quotas.close(
            option.group,
            {ReasonCode::nothing_granted, {}, "chosen, but no group was given nodes"});
        return;
    }
    record(option, outcome, std::move(explanation));
}

void ScaleUp::record(const Option& option, const OptionOutcome& outcome, ChosenOption explanation) {
    Progress& progress = initial_.progress;
    AcceptedOption accepted{.chosen = std::move(explanation)};
    for (const Share& to : outcome.shares)
        accepted.increases.push_back({to.group, to.nodes, role_of(option, to.group)});
    for (const GroupIncrease& growth : accepted.increases) {
        CAPSTAN_ASSERT(context().headrooms[growth.group].obstacle.is_none(),
                       "a group grows that may not grow");
        progress.quotas.take(growth.group, growth.nodes);
        for (auto& [groups, needed] : beyond_limit_) needed -= growth.nodes;
        accepted.chosen.granted += growth.nodes;
        if (growth.group != option.group)
            accepted.chosen.similar.push_back(context().id(growth.group));
    }
    // Pods that are pinned to other groups may have been added to the option.
    accepted.chosen.nodes = std::max(accepted.chosen.nodes, accepted.chosen.granted);
    for (const Demand& schedulable : outcome.schedulable) {
        CAPSTAN_ASSERT(schedulable.pod_group < context().pending_count(),
                       "an option helps pods that are not pending");
        progress.left[schedulable.pod_group] -= schedulable.count;
        CAPSTAN_ASSERT(progress.left[schedulable.pod_group] >= 0,
                       "an option helps more pods than are left");
        PodCount pods = context().pending.pod_groups[schedulable.pod_group];
        pods.count = static_cast<std::uint32_t>(schedulable.count);
        accepted.chosen.pods.push_back(std::move(pods));
    }
    const bool spare =
        context().headrooms[option.group].atomic || accepted.chosen.granted < accepted.chosen.nodes;
    progress.accepted_options.push_back(std::move(accepted));
    if (spare) assign_late();
    if (context().settings->one_option_per_pass)
        progress.stopped = "this pass already took an option (scale_up.one_option_per_pass)";
}

std::string ScaleUp::role_of(const Option& option, GroupIndex group) const {
    if (context().headrooms[group].atomic) return "atomic node group";
    if (option.similar.empty()) return {};
    const auto size = [&](GroupIndex g) {
        return *context().groups()[g].group.target + initial_.progress.quotas.grown(g);
    };
    bool smallest = true;
    const auto compare = [&](GroupIndex other) {
        if (other != group && size(other) <= size(group)) smallest = false;
    };
    compare(option.group);
    std::ranges::for_each(option.similar, compare);
    return (smallest ? "smallest of " : "one of ") +
           counted(std::ssize(option.similar) + 1, "similar group");
}

std::vector<std::string> ScaleUp::left_out(const Option& option,
                                           std::span<const GroupIndex> unmade) {
    const scheduling::CompiledPredicates& predicates = *context().predicates;
    std::map<TemplateNodeId, std::string> why;  // the first pod that does not run there
    const auto find_why = [&](TemplateNodeId other) -> std::string {
        const auto misfit = find_misfit(initial_.placement, plan_, option.estimate->schedulable,
                                        option.group, other);
        // The group was left out when the option had more pods, before limits cut it down.
        if (!misfit) return "does not fit a pod that limits took out of the option";
        const std::string pod = "pod " + context().pending.pod_groups[*misfit].example;
        const scheduling::Refusal refusal = initial_.placement.why_not_new(*misfit, other);
        return refusal.predicate == scheduling::Predicate::none
                   ? pod + " must be spread to another domain"
                   : pod + ": " + refusal.sentence;
    };
    std::vector<std::string> out;
    std::size_t more = 0;
    for (const GroupIndex other : similar_.all_of(option.group)) {
        if (std::ranges::binary_search(option.similar, other)) continue;
        if (out.size() == max_left_out) {
            ++more;
            continue;
        }
        std::string because = initial_.progress.quotas.obstacle(other).sentence;
        if (const auto gap = similar_.price_gap(option.group, other))
            because = *gap + "; scale_up.balance_across_prices is off";
        if (std::ranges::binary_search(unmade, other))
            because = "max number of node groups reached: the remaining ones are for other pods";
        if (because.empty()) {
            const auto [at, is_new] = why.try_emplace(predicates.equivalent(other));
            if (is_new) at->second = find_why(other);
            because = at->second;
        }
        out.push_back(context().id(other).value() + ": " + because);
    }
    if (more > 0) out.push_back("and " + std::to_string(more) + " more");
    return out;
}

}  // namespace capstan::engine::scale_up
