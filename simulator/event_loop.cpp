#include "simulator/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/hash.hpp>

namespace capstan::simulator {
namespace {

/// A step until idle ends after this time without an event. A run that only waits for a back-off to
/// end, or for a cloud to have machines again, would otherwise go on for ever.
constexpr Duration quiet_time_max = std::chrono::hours(24);
/// Such a step also ends after this time in which no action or fault came and no pod completed. The
/// autoscaler may be busy all the time, and still achieve nothing.
constexpr Duration busy_time_max = std::chrono::days(30);
/// With controller plugins, a step until idle lasts until nothing has happened for this long: their
/// timers, such as the start-up timeout of a Balancer, are not known.
constexpr Duration controller_patience = std::chrono::hours(1);

/// Whether the target of an action does not exist, or is not in the state that the action needs.
bool lacks_target(const Error& error) {
    return error.code == ErrorCode::not_found || error.code == ErrorCode::conflict;
}

bool is_left_out(const Action& action, const Error& error) {
    switch (action.if_impossible) {
        case IfImpossible::fail: return false;
        case IfImpossible::skip_without_target: return lacks_target(error);
        case IfImpossible::skip: return true;
    }
    return false;
}

}  // namespace

/// A step under way.
struct EventLoop::Agenda {
    const Step& step;
    Time begin;
    std::optional<Duration> length{};  ///< until a command: the longest; absent: until idle
    std::optional<Time> end{};
    std::size_t next_action = 0;
    Time last_event = begin;     ///< the last one that was no pass or fault
    Time last_progress = begin;  ///< the last action, fault or completed pod
    std::int64_t pods_ended = 0;
    std::optional<RepetitionWatch> watch{};  ///< absent: repeated decisions do not end the step

    std::optional<Time> next_action_at() const {
        if (next_action == step.actions.size()) return std::nullopt;
        return begin + step.actions[next_action].after;
    }
    std::optional<Time> deadline() const {
        if (length || next_action_at()) return end;
        const std::optional<Time> quiet = earliest(end, last_event + quiet_time_max);
        return watch ? earliest(quiet, last_progress + busy_time_max) : quiet;
    }
    bool has_no_progress() const {
        return watch && !next_action_at() && deadline() == last_progress + busy_time_max;
    }
};

Result<bool> EventLoop::run_step(const Step& step, std::optional<Time> end,
                                 std::optional<Duration> settled) {
    Agenda agenda{.step = step, .begin = now(), .end = end};
    agenda.length = step.until_command ? step.until_command->within : step.advance;
    if (agenda.length) agenda.end = earliest(end, agenda.begin + *agenda.length);
    if (settled && !agenda.length) agenda.watch.emplace(*settled, start_);
    parts_.autoscaler.refresh_again();
    while (true) {
        CAPSTAN_CHECK(act(agenda));
        CAPSTAN_TRY(const bool has_passed, pass(agenda));
        if (has_passed && has_come(step)) return true;
        if (agenda.watch && agenda.watch->found()) {
            repetition_ = agenda.watch->found();
            return true;
        }
        if (has_passed) continue;
        if (const std::optional<Time> next = next_due(agenda); next) {
            move_to(*next);
            report_progress();
            continue;
        }
        if (!agenda.length && (!agenda.watch || !is_busy())) return !end || now() < *end;
        if (!agenda.length && agenda.deadline() != end) {
            has_given_up_ = has_given_up_ || agenda.has_no_progress();
            return true;
        }
        CAPSTAN_ASSERT(agenda.end, "a step with a length has no end");
        move_to(*agenda.end);
        if (now() >= *agenda.end) return agenda.length && now() >= agenda.begin + *agenda.length;
    }
}

/// Whether the command that ends the step was given.
bool EventLoop::has_come(const Step& step) const {
    return step.until_command &&
           find_command(parts_.autoscaler.commands(), step.until_command->command) != nullptr;
}

Result<void> EventLoop::apply(const Action& action, Time moment) {
    Result<void> done = std::visit(
        [&](const auto& what) -> Result<void> {
            if constexpr (std::is_same_v<std::decay_t<decltype(what)>, Scale>) {
                if (parts_.controllers != nullptr && parts_.controllers->scale_object(what, moment))
                    return {};
            }
            if constexpr (requires { parts_.cluster.apply(what, moment); }) {
                return parts_.cluster.apply(what, moment);
            } else if constexpr (requires { parts_.autoscaler.reload(what); }) {
                parts_.event_log.add(moment, EventKind::note, "",
                                     "configuration reloaded: " + what.text);
                return parts_.autoscaler.reload(what);
            } else if constexpr (requires { parts_.node_registrar.set(what); }) {
                parts_.node_registrar.set(what);
                return {};
            } else {
                if (parts_.cloud == nullptr)
                    return fail(ErrorCode::invalid_config, "the cloud is not simulated");
                parts_.autoscaler.refresh_again();
                return parts_.cloud->apply(what, moment);
            }
        },
        action.what);
    if (done) return {};
    if (is_left_out(action, done.error())) {
        parts_.event_log.add_left_out(action);
        return {};
    }
    const std::string line = action.place.line == 0 ? "" : ":" + std::to_string(action.place.line);
    Error error = within(parts_.source + line, std::move(done).error());
    // The input names something that does not exist: a mistake of the input.
    if (lacks_target(error)) error.code = ErrorCode::invalid_config;
    return fail(std::move(error));
}

/// Applies the faults that are due. A clock jump moves the wall clock alone; virtual time stays.
Result<void> EventLoop::apply_faults() {
    Result<Duration> jump = parts_.fault_injector.reach(now());
    if (!jump) return fail(within(parts_.source, std::move(jump).error()));
    if (*jump == Duration(0)) return {};
    parts_.host.virtual_loop()->step_wall(*jump);
    const auto& clock = parts_.host.loop().clock();
    parts_.cluster.set_wall_ahead(clock->wall() - clock->now() - parts_.autoscaler.skew());
    return {};
}

/// Does everything that is due now, except for a pass.
Result<void> EventLoop::act(Agenda& agenda) {
    const Time moment = now();
    if (parts_.controllers != nullptr && parts_.controllers->obey(moment))
        agenda.last_event = agenda.last_progress = moment;
    const std::optional<Time> fault = parts_.fault_injector.next_due();
    if (fault && *fault <= moment) agenda.last_progress = moment;
    CAPSTAN_CHECK(apply_faults());
    for (auto at = agenda.next_action_at(); at && *at <= moment; at = agenda.next_action_at()) {
        CAPSTAN_CHECK(apply(agenda.step.actions[agenda.next_action++], moment));
        agenda.last_event = agenda.last_progress = moment;
    }
    const auto due = next_by_itself();
    if (due && *due <= moment) agenda.last_event = moment;
    parts_.cluster.reach(moment);
    parts_.node_registrar.reach(moment);
    if (parts_.cluster.schedule(moment)) parts_.autoscaler.wake();
    const std::int64_t pods_ended = parts_.statistics.pods_ended();
    if (pods_ended != std::exchange(agenda.pods_ended, pods_ended)) agenda.last_progress = moment;
    if (parts_.controllers != nullptr) {
        parts_.controllers->show(moment);
        parts_.observer.on_balancers(parts_.controllers->balancers(), moment);
    }
    return {};
}

/// Runs a pass if one is due; returns whether one was.
Result<bool> EventLoop::pass(Agenda& agenda) {
    const std::optional<Time> due = pass_due();
    if (!due || *due > now() || (agenda.end && now() >= *agenda.end)) return false;
    next_pass_ = *due + Duration(1);
    const std::size_t commands_before = parts_.autoscaler.commands().size();
    CAPSTAN_CHECK(parts_.autoscaler.run());
    watch(agenda, commands_before);
    return true;
}

/// Watches for repeated decisions, unless something is still to come from outside.
void EventLoop::watch(Agenda& agenda, std::size_t commands_before) {
    const auto& commands = parts_.autoscaler.commands();
    if (!agenda.watch || commands.size() <= commands_before || agenda.next_action_at() ||
        parts_.fault_injector.next_due() || parts_.autoscaler.may_clouds_change())
        return;
    std::vector<std::string> given;
    for (std::size_t i = commands_before; i < commands.size(); ++i)
        given.push_back(commands[i].text);
    Hash state;
    state.add(static_cast<std::int64_t>(parts_.cluster.state_hash(now())));
    state.add(static_cast<std::int64_t>(parts_.node_registrar.state_hash(now())));
    for (const auto& [group, target] : parts_.autoscaler.targets()) {
        state.add(group);
        state.add(std::int64_t{target});
    }
    agenda.watch->observe(state.value(), given, now());
}

/// Whether something is still to happen by itself, or a pass is needed.
bool EventLoop::is_busy() const { return next_by_itself() || parts_.autoscaler.needed_at(); }

std::optional<Time> EventLoop::pass_due() const {
    const std::optional<Time> wanted = parts_.autoscaler.wanted_at();
    const std::optional<Time> due =
        wanted ? std::optional(on_grid(std::max({*wanted, next_pass_, now()}))) : std::nullopt;
    const std::optional<Time> early = parts_.autoscaler.early_pass_at();
    return early ? earliest(due, std::max(*early, now())) : due;
}

/// When the cluster or a machine next changes by itself; absent: never.
std::optional<Time> EventLoop::next_by_itself() const {
    return earliest(parts_.cluster.next_due(), parts_.node_registrar.next_due());
}

/// Until when a step that lasts until nothing happens waits for controller plugins. Absent: no
/// longer.
std::optional<Time> EventLoop::quiet_end(const Agenda& agenda) const {
    if (parts_.controllers == nullptr) return std::nullopt;
    const Time end = agenda.last_event + controller_patience;
    return end > now() && (!agenda.end || end < *agenda.end) ? std::optional(end) : std::nullopt;
}

/// The next moment at which something is due within the step; absent: the step is over. A fault
/// that is still to come does not keep a step going.
std::optional<Time> EventLoop::next_due(const Agenda& agenda) const {
    const std::optional<Time> next_event = earliest(agenda.next_action_at(), next_by_itself());
    if (!agenda.length && !next_event && !parts_.autoscaler.needed_at()) return quiet_end(agenda);
    const std::optional<Time> deadline = agenda.deadline();
    const std::optional<Time> next = earliest(next_event, parts_.fault_injector.next_due());
    const std::optional<Time> due = pass_due();
    if (next && (!deadline || *next <= *deadline)) return due && *due < *next ? due : next;
    return due && (!deadline || *due < *deadline) ? due : std::nullopt;
}

/// The first moment of the grid that is not before `wanted`.
Time EventLoop::on_grid(Time wanted) const {
    const auto behind = (wanted - start_) % scan_interval_;
    return behind == Duration(0) ? wanted : wanted + (scan_interval_ - behind);
}

void EventLoop::report_progress() {
    progress_.at = now() - start_;
    progress_.nodes = parts_.statistics.nodes();
    progress_.pending = parts_.cluster.pending();
    parts_.observer.on_progress(progress_);
}

/// Advances virtual time to `then`, or to the moment at which a cloud gives a reason for a pass, if
/// earlier.
void EventLoop::move_to(Time then) {
    io::ManualLoop& loop = *parts_.host.virtual_loop();
    const std::optional<Time> early = parts_.autoscaler.early_pass_at();
    bool has_fired = false;
    const auto has_written = [this] {
        return parts_.controllers != nullptr && parts_.controllers->has_writes();
    };
    while (now() < then && parts_.autoscaler.early_pass_at() == early && !has_written()) {
        const Duration end = loop.monotonic() + (then - now());
        const std::optional<Duration> timer = loop.next_due();
        const bool is_due = timer && *timer <= end;
        has_fired = has_fired || is_due;
        loop.advance(std::max((is_due ? *timer : end) - loop.monotonic(), Duration(0)));
    }
    parts_.statistics.reach(now());
    // A cloud that had set a timer may have changed when it fired. Controllers set timers all the
    // time, and the changes of simulated clouds are known without them.
    const bool is_of_cloud = parts_.controllers == nullptr || parts_.cloud == nullptr;
    if (has_fired && is_of_cloud) parts_.autoscaler.refresh_again();
}

}  // namespace capstan::simulator
