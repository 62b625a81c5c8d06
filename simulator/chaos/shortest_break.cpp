#include "simulator/chaos/shortest_break.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/toml_values.hpp"
#include "simulator/chaos/chaos_scenario.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::chaos {
namespace {

/// Events that are kept or left out together. Actions keep their places in the order of the run.
struct Unit {
    Duration at{0};
    std::vector<std::pair<std::size_t, Action>> actions{};
    std::optional<Fault> fault{};
};
using Units = std::vector<Unit>;

/// The chances that a run took.
class Recorder final : public Observer {
public:
    void on_drawn(const Fault& fault) override { faults.push_back(fault); }
    void on_left_out(const Action& action) override { left_out.insert(&action); }

    std::vector<Fault> faults{};
    std::set<const Action*> left_out{};
};

/// Whether the action changes or adds the group.
bool is_about(const Action& action, const std::string& group) {
    if (const auto* change = std::get_if<CloudChange>(&action.what)) return change->group == group;
    const auto* add = std::get_if<AddGroup>(&action.what);
    return add != nullptr && text_of(add->group, "id") == group;
}

/// "scale_down.unneeded_time" of "scale_down.unneeded_time=1m".
std::string_view setting_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

/// Gives the reload the settings of earlier ones as well, so that it means the same without them.
void accumulate(Reload& reload, std::vector<std::string>& so_far) {
    for (const std::string& assignment : reload.settings) {
        std::erase_if(so_far, [&](const std::string& earlier) {
            return setting_of(earlier) == setting_of(assignment);
        });
        so_far.push_back(assignment);
    }
    reload.settings = so_far;
}

/// Adds the machine types of a group to the change or the new group that has them.
void add_types(const Registration& types, std::size_t index, const Action& action, Units& to) {
    const auto unit = std::ranges::find_if(to, [&](const Unit& each) {
        return each.at == action.after && std::ranges::any_of(each.actions, [&](const auto& entry) {
                   return is_about(entry.second, types.group);
               });
    });
    Unit& home = unit != to.end() ? *unit : to.emplace_back(Unit{.at = action.after});
    home.actions.emplace_back(index, action);
}

/// The actions and faults of a run in the order of their times.
Units make_units(const Input& input, const Recorder& recorder) {
    Units out;
    for (const Fault& fault : recorder.faults) out.push_back({.at = fault.from, .fault = fault});
    std::size_t index = 0;
    std::vector<std::pair<std::size_t, Action>> types;
    std::vector<std::string> reloaded;
    Duration begin{0};
    for (const Step& step : input.steps) {
        for (const Action& original : step.actions) {
            if (recorder.left_out.contains(&original)) continue;
            Action action = original;
            action.after += begin;
            const auto* registration = std::get_if<Registration>(&action.what);
            if (registration != nullptr && !registration->types.empty()) {
                types.emplace_back(index++, std::move(action));
                continue;
            }
            if (auto* reload = std::get_if<Reload>(&action.what)) accumulate(*reload, reloaded);
            out.push_back({.at = action.after, .actions = {{index++, action}}});
        }
        begin += step.advance.value_or(Duration(0));
    }
    for (const auto& [place, action] : types)
        add_types(std::get<Registration>(action.what), place, action, out);
    std::ranges::stable_sort(out, {}, &Unit::at);
    return out;
}

/// When the last event is over, in whole minutes.
Duration end_of(const Units& units) {
    Duration out{0};
    for (const Unit& unit : units) {
        const bool lasts = unit.fault && !is_brief(unit.fault->kind);
        out = std::max(out, unit.at + (lasts ? unit.fault->lasts : Duration(0)));
    }
    using std::chrono::minutes;
    return std::chrono::floor<minutes>(out) + minutes(1);
}

class Reduction {
public:
    Reduction(const ChaosScenario& scenario, const Setup& setup, int runs_max)
        : scenario_(scenario), setup_(setup), runs_max_(runs_max) {}

    Result<Break> find() {
        Recorder recorder;
        const Time calm = scenario_.input.start + scenario_.faults;
        const Trial whole =
            run_checked(
                scenario_.input, setup_,
                {.start = scenario_.input.start, .calm = calm, .end = calm + scenario_.calm},
                &recorder)
                .trial;
        ++runs_;
        if (whole.is_clean()) return fail(ErrorCode::not_found, "the run breaks no invariant");
        // An error ends the run, so it is what the other violations may only have led to.
        wanted_ = whole.error.empty() ? whole.violations.front()
                                      : Violation{.invariant = "error", .text = whole.error};
        const Units all = make_units(scenario_.input, recorder);
        if (!breaks(all, scenario_.faults))
            return fail(ErrorCode::internal,
                        "the same faults at fixed times do not break " + wanted_.invariant);
        if (breaks(all)) cut();
        leave_out();
        drop_impossible();
        Break out{.input = make_input(best_, best_calm_),
                  .violation = best_violation_,
                  .events = best_.size(),
                  .events_before = all.size(),
                  .runs = runs_};
        return out;
    }

private:
    /// The base with these events.
    Input make_input(const Units& units, Duration calm) const {
        Input out = scenario_.input;
        out.judge.calm = calm;
        out.steps.clear();
        out.faults.clear();
        std::vector<std::pair<std::size_t, Action>> actions;
        for (const Unit& unit : units) {
            actions.insert(actions.end(), unit.actions.begin(), unit.actions.end());
            if (unit.fault) out.faults.push_back(*unit.fault);
        }
        std::ranges::sort(actions, {}, [](const auto& entry) { return entry.first; });
        Duration begin{0};
        for (auto& [place, action] : actions) {
            const Duration at = action.after;
            if (out.steps.empty() || at > begin) {
                if (!out.steps.empty()) out.steps.back().advance = at - begin;
                if (out.steps.empty() && at > Duration(0)) out.steps.push_back({.advance = at});
                out.steps.push_back({});
                begin = at;
            }
            action.after = Duration(0);
            out.steps.back().actions.push_back(std::move(action));
        }
        if (out.steps.empty()) out.steps.push_back({});
        out.steps.back().advance = calm + scenario_.calm - begin;
        return out;
    }

    bool breaks(const Units& units) { return breaks(units, end_of(units)); }
    /// Runs the events, and keeps them as the best if they break the same invariant.
    bool breaks(const Units& units, Duration calm) {
        ++runs_;
        const Input input = make_input(units, calm);
        const Trial trial = run_checked(input, setup_, watch_of(input)).trial;
        const auto same =
            std::ranges::find(trial.violations, wanted_.invariant, &Violation::invariant);
        const bool is_error = wanted_.invariant == "error";
        if (is_error ? trial.error != wanted_.text : same == trial.violations.end()) return false;
        best_ = units;
        best_calm_ = calm;
        best_violation_ = is_error ? wanted_ : *same;
        return true;
    }
    /// The last two runs are those of drop_impossible.
    bool may_run() const { return runs_ + 2 < runs_max_; }

    /// Finds a short beginning that breaks: first without what comes after the violation, and then
    /// by bisection.
    void cut() {
        if (best_violation_.invariant != "error") {
            Units before = best_;
            std::erase_if(before, [&](const Unit& unit) { return unit.at > best_violation_.at; });
            if (before.size() < best_.size() && may_run()) breaks(before);
        }
        std::size_t fine = 0;
        const Units all = best_;
        std::size_t broken = all.size();
        while (broken - fine > 1 && may_run()) {
            const std::size_t half = fine + (broken - fine) / 2;
            (breaks({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(half)}) ? broken
                                                                                    : fine) = half;
        }
    }

    /// Leaves out parts of the events, the later ones first: halves, then quarters, down to one.
    void leave_out() {
        std::size_t part = std::max<std::size_t>(best_.size() / 2, 1);
        while (!best_.empty() && may_run()) {
            bool has_left_out = false;
            for (std::size_t end = best_.size(); end > 0 && may_run();) {
                const std::size_t begin = end - std::min(part, end);
                Units rest = best_;
                rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                           rest.begin() + static_cast<std::ptrdiff_t>(end));
                has_left_out = breaks(rest) || has_left_out;
                end = begin;
            }
            if (part == 1 && !has_left_out) return;
            part = std::max<std::size_t>(part / 2, 1);
        }
    }

    /// Drops actions whose target was left out, such as the scaling of a batch: the run skips them,
    /// but in a scenario file they are mistakes.
    void drop_impossible() {
        std::vector<std::size_t> places;
        for (const Unit& unit : best_)
            for (const auto& [place, action] : unit.actions) places.push_back(place);
        std::ranges::sort(places);
        Recorder recorder;
        const Input input = make_input(best_, best_calm_);
        run_checked(input, setup_, watch_of(input), &recorder);
        ++runs_;
        std::set<std::size_t> impossible;
        auto place = places.begin();
        for (const Step& step : input.steps)
            for (const Action& action : step.actions) {
                if (recorder.left_out.contains(&action)) impossible.insert(*place);
                ++place;
            }
        Units rest = best_;
        for (Unit& unit : rest)
            std::erase_if(unit.actions,
                          [&](const auto& entry) { return impossible.contains(entry.first); });
        std::erase_if(rest, [](const Unit& unit) { return unit.actions.empty() && !unit.fault; });
        if (!impossible.empty()) breaks(rest, best_calm_);
    }

    const ChaosScenario& scenario_;
    const Setup& setup_;
    const int runs_max_;
    int runs_ = 0;
    Violation wanted_{};
    Units best_{};
    Duration best_calm_{0};
    Violation best_violation_{};
};

}  // namespace

Result<Break> find_shortest_break(const Input& base, const Setup& setup, std::uint64_t seed,
                                  int runs_max) {
    CAPSTAN_TRY(
        const ChaosScenario scenario,
        make_chaos_scenario(base, simulated_clouds(base, setup.plugins), seed, &setup.config));
    return Reduction(scenario, setup, runs_max).find();
}

}  // namespace capstan::simulator::chaos
