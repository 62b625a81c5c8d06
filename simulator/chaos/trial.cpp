#include "simulator/chaos/trial.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <capstan/sentence.hpp>

#include "simulator/chaos/chaos_scenario.hpp"
#include "simulator/observers.hpp"
#include "simulator/run_figures.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::chaos {

Result<Trial> run_trial(const Input& base, const Setup& setup, std::uint64_t seed,
                        Observer* observer) {
    const std::vector<SimulatedCloud> clouds = simulated_clouds(base, setup.plugins);
    CAPSTAN_TRY(const ChaosScenario scenario,
                make_chaos_scenario(base, clouds, seed, &setup.config));
    if (const std::string unknown = find_unknown(base.judge); !unknown.empty())
        return fail(ErrorCode::invalid_config,
                    base.source + ": judge.off: no invariant " + in_quotes(unknown));
    const Time calm = scenario.input.start + scenario.faults;
    return run_checked(scenario.input, setup,
                       {.start = scenario.input.start, .calm = calm, .end = calm + scenario.calm},
                       observer)
        .trial;
}

CheckedRun run_checked(const Input& input, const Setup& setup, const Watch& watch,
                       Observer* observer) {
    const std::vector<SimulatedCloud> clouds = simulated_clouds(input, setup.plugins);
    InvariantChecker checker(watch);
    checker.begin({.input = input, .clouds = clouds, .calm = watch.calm, .end = watch.end});
    Observers observers;
    if (observer != nullptr) observers.add(*observer);
    observers.add(checker);
    Result<Report> report = run(input, setup, observers);
    Trial trial{.violations = checker.violations(),
                .error = report ? "" : report.error().message,
                .exposure = checker.exposure()};
    return {.trial = std::move(trial), .report = std::move(report)};
}

Watch watch_of(const Input& input) {
    Watch out{.start = input.start};
    if (input.judge.calm) out.calm = input.start + *input.judge.calm;
    Time end = input.start;
    for (const Step& step : input.steps) {
        if (!step.advance || step.until_command) return out;
        end += *step.advance;
    }
    if (!input.time_limit) out.end = end;
    return out;
}

Result<Report> run_judged(const Input& input, const Setup& setup, Observer& observer) {
    if (const std::string unknown = find_unknown(input.judge); !unknown.empty())
        return fail(ErrorCode::invalid_config,
                    input.source + ": judge.off: no invariant " + in_quotes(unknown));
    Watch watch = watch_of(input);
    if (setup.until) watch.end = Time::max();
    auto [trial, report] = run_checked(input, setup, watch, &observer);
    if (!report) return std::move(report);
    for (const Violation& violation : trial.violations) {
        Event event{.at = violation.at,
                    .kind = EventKind::unmet,
                    .text = violation.invariant + ": " + violation.text};
        report->unmet.push_back({input.source + ": " + clock_text(violation.at), event.text});
        observer.on_event(event);
        report->events.push_back(std::move(event));
    }
    report->expected += std::max<std::int64_t>(1, std::ssize(trial.violations));
    return std::move(report);
}

std::vector<std::unique_ptr<Invariant>> all_invariants() {
    constexpr std::array makers{
        bounds_invariant,     limits_invariant,    minima_invariant,  made_groups_invariant,
        evictions_invariant,  removals_invariant,  drains_invariant,  pods_invariant,
        endings_invariant,    leftovers_invariant, service_invariant, waiting_invariant,
        purpose_invariant,    moves_invariant,     thrift_invariant,  rest_invariant,
        price_invariant,      churn_invariant,     orders_invariant,  returns_invariant,
        node_hours_invariant, restart_invariant,   memory_invariant,  balancers_invariant};
    std::vector<std::unique_ptr<Invariant>> out;
    for (const auto make : makers) out.push_back(make());
    return out;
}

std::string find_unknown(const Judge& judge) {
    const auto all = all_invariants();
    for (const std::string& name : judge.off) {
        if (std::ranges::none_of(all, [&](const auto& each) { return each->name() == name; }))
            return name;
    }
    return {};
}

void InvariantChecker::begin(const JudgedRun& run) {
    std::erase_if(invariants_, [&](const auto& invariant) {
        return run.input.judge.off.contains(invariant->name());
    });
    for (const auto& invariant : invariants_) invariant->on_start(run);
}

Exposure& Exposure::operator+=(const Exposure& other) noexcept {
    passes += other.passes;
    faults += other.faults;
    restarts += other.restarts;
    increases += other.increases;
    decreases += other.decreases;
    removals += other.removals;
    evictions += other.evictions;
    return *this;
}

void InvariantChecker::add(const Invariant& invariant, Time now, std::vector<std::string> texts) {
    for (std::string& text : texts)
        violations_.push_back({now - watch_.start, std::string(invariant.name()), std::move(text)});
}

void InvariantChecker::on_event(const Event& event) {
    if (event.kind != EventKind::fault) return;
    ++exposure_.faults;
    loses_memory_ = loses_memory_ || event.text == name_of(FaultKind::lost_memory) ||
                    event.text == name_of(FaultKind::old_memory);
}

void InvariantChecker::on_fact(const Fact& fact) {
    for (const auto& invariant : invariants_) add(*invariant, fact.at, invariant->on_fact(fact));
}

void InvariantChecker::on_decision(const autoscaler::PassReport& pass) {
    const Moment moment{.input = pass.input, .result = pass.result, .calm = watch_.calm};
    for (const autoscaler::ActionsUnderWay::Ended& late : pass.ended)
        take_results(late.decision, late.results, moment.now());
    const engine::Decision& decision = moment.decision();
    ++exposure_.passes;
    exposure_.increases += static_cast<std::int64_t>(decision.increases.size());
    exposure_.decreases += static_cast<std::int64_t>(decision.decreases.size());
    exposure_.evictions += static_cast<std::int64_t>(decision.evictions.size());
    for (const engine::MachineRemoval& removal : decision.removals)
        exposure_.removals += static_cast<std::int64_t>(removal.machines.size());
    for (const auto& invariant : invariants_)
        add(*invariant, moment.now(), invariant->on_pass(moment));
    last_.emplace(Pass{pass.input, pass.result});
}

void InvariantChecker::on_pass(const std::shared_ptr<const autoscaler::PassReport>& pass) {
    if (pass->dropped_because.empty()) take_results(pass->decision(), pass->results, pass->at);
}

void InvariantChecker::take_results(const engine::Decision& decision,
                                    const engine::Results& results, Time now) {
    for (const auto& invariant : invariants_)
        add(*invariant, now, invariant->on_results(decision, results));
}

void InvariantChecker::on_balancers(const std::vector<BalancerState>& balancers, Time now) {
    for (const auto& invariant : invariants_)
        add(*invariant, now, invariant->on_balancers(balancers, now));
}

void InvariantChecker::on_restart(const engine::Memory&, Time) {
    ++exposure_.restarts;
    const bool is_lost = std::exchange(loses_memory_, false);
    for (const auto& invariant : invariants_)
        is_lost ? invariant->on_restart_without_memory() : invariant->on_restart();
}

void InvariantChecker::on_end() {
    if (!last_) return;
    const bool has_end = watch_.end != Time::max();
    const Moment moment{.input = last_->input,
                        .result = last_->result,
                        .calm = watch_.calm,
                        .end = has_end ? std::optional(watch_.end) : std::nullopt};
    for (const auto& invariant : invariants_)
        add(*invariant, moment.now(), invariant->on_end(moment));
    last_.reset();
}

}  // namespace capstan::simulator::chaos
