#include "engine/scale_up/scale_up.hpp"

#include <algorithm>

#include "engine/scale_up/spare_nodes.hpp"

namespace capstan::engine {
namespace {

/// Each attempt learns where the one before got stuck; after the last the rule holds as it stands.
constexpr int max_attempts = 4;

}  // namespace

ScaleUp::ScaleUp(const Scene& scene, const Policies& policies, const Circumstances& circumstances)
    : policies_(&policies),
      circumstances_(circumstances),
      ground_(scene),
      start_(ground_.placement.mark()),
      similar_(scene, policies, circumstances_),
      question_(scene, policies, circumstances, ground_.progress.left),
      maker_(scene, similar_, ground_.placement, question_.places()),
      plan_(ground_.placement, hindsights_, ground_.has_zones),
      turns_(scene.pending_count(), SpreadTurn::with_others) {}

void ScaleUp::run() {
    // One option cannot fill several zones: what is planned for the others would never come.
    if (!scene().settings->one_option_per_pass) {
        turns_ = find_turns(ground_.placement, scene().pending_count(), ground_.has_zones);
    }
    for (const SpreadTurn turn :
         {SpreadTurn::with_others, SpreadTurn::after_others, SpreadTurn::after_everything}) {
        if (std::ranges::find(turns_, turn) != turns_.end()) take_turn(turn);
    }
    SpareNodes spare(ground_, start_, plan_.ended());
    while (spare.let_go() && ground_.progress.stopped.empty()) take_options();
    for (const std::string& failure : similar_.failures())
        ground_.progress.notes.push_back(failure);
}

std::vector<NodeGroupId> ScaleUp::similar_to(GroupIndex group) {
    std::vector<NodeGroupId> out;
    for (const GroupIndex other : similar_.all_of(group))
        if (!similar_.price_gap(group, other)) out.push_back(scene().id(other));
    return out;
}

void ScaleUp::take_turn(SpreadTurn turn) {
    turn_ = turn;
    const Placement::Mark mark = ground_.placement.mark();
    const Progress before = ground_.progress;
    for (int attempts = 1; attempts <= max_attempts && !attempt(); ++attempts) {
        hindsights_ = plan_.learn();
        plan_.forget();
        ground_.placement.undo(mark);
        ground_.progress = before;
    }
    plan_.end();
    take_options();
}

template <class Wanted>
bool ScaleUp::seat_waiting(Wanted is_wanted) {
    const std::vector<int> pods = waiting();
    const auto end = static_cast<Slot>(ground_.placement.slot_count());
    if (end == ground_.first_new && plan_.empty()) return false;
    bool any = false;
    for (Subject s = 0; s < pods.size(); ++s) {
        if (pods[s] == 0 || !is_wanted(s)) continue;
        const bool looks = scene().rules->looks_at_pods(s);
        any = ground_.seat(s, looks ? 0 : ground_.first_new, end) || any;
    }
    return any;
}

/// False: what came of the plan breaks a constraint, since not all of it came.
bool ScaleUp::attempt() {
    make_plan();
    // The turns before may have left room on what they added. And once the other domains grow,
    // there is room for planned pods on nodes that are there already: but not for those that are
    // spread over hosts as well, which must see all hosts first.
    seat_waiting([&](Subject s) { return !plan_.is_planned(s) || is_spread_once(s); });
    take_options();
    return plan_.holds();
}

void ScaleUp::make_plan() {
    if (scene().settings->one_option_per_pass) return;
    const std::vector<ShapeId> shapes = growing_shapes(scene(), ground_.progress.ledger);
    const std::vector<int> pods = waiting();
    for (Subject s = 0; s < turns_.size(); ++s) {
        if (pods[s] == 0 || turns_[s] != turn_) continue;
        // Between zones that others have filled unevenly and hosts that are to be even as well
        // there may be no order in which the pods can come.
        if (turn_ == SpreadTurn::after_everything && !is_spread_once(s)) continue;
        plan_.plan(s, pods[s], shapes, ground_.passed_over);
    }
}

bool ScaleUp::is_spread_once(Subject subject) const {
    const ClassId id = scene().rules->subjects()[subject];
    return scene().snapshot->cluster.spread(id).size() == 1;
}

std::vector<int> ScaleUp::waiting() const {
    std::vector<int> out = ground_.progress.left;
    for (Subject s = 0; s < turns_.size(); ++s) {
        if (turns_[s] > turn_) out[s] = 0;
    }
    return out;
}

void ScaleUp::take_options() {
    while (ground_.progress.stopped.empty() && (take_option() || seat_late())) {
    }
}

std::vector<Option> ScaleUp::make_options(const std::vector<int>& pods) {
    const PartScope part(scene().parts, Part::make_options);
    return maker_.make(pods, ground_.progress.ledger, plan_);
}

bool ScaleUp::take_option() {
    Progress& progress = ground_.progress;
    const std::vector<int> pods = waiting();
    std::vector<Option> options = make_options(pods);
    if (options.empty()) return false;
    const Settings& settings = *scene().settings;
    if (std::ssize(progress.grants) >= settings.max_options_per_pass) {
        progress.stopped = "this pass has taken the " +
                           std::to_string(settings.max_options_per_pass) + " options it may take";
        return false;
    }
    Choice choice = question_.ask(options, pods, progress.ledger);
    if (!choice.option) {
        progress.stopped = std::move(choice.because);
        progress.notes.push_back(progress.stopped);
        return false;
    }
    const Option& option = options[*choice.option];
    ChosenOption chosen{.group = scene().id(option.group),
                        .nodes = option.nodes,
                        .considered = options.size(),
                        .stages = std::move(choice.stages),
                        .because = std::move(choice.because)};
    carry_out(options, *choice.option, std::move(chosen));
    return true;
}

/// Pods that look at others may fit now where they did not before, and any on what an option left
/// over.
bool ScaleUp::seat_late() {
    return seat_waiting([](Subject) { return true; });
}

}  // namespace capstan::engine
