#include "simulation/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace capstan::simulation {
namespace {

/// A run that only waits, for a back-off to end or for a cloud to have machines again, may do so
/// for ever.
constexpr Duration quiet_patience = std::chrono::hours(24);

/// Whether the error says that what an action is about is not there, or is otherwise than it has to
/// be.
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
    std::optional<Duration> length{};  ///< at most, until a command; nothing: until idle
    std::optional<Time> end{};
    std::size_t next_action = 0;
    Time last_event = begin;  ///< anything but a pass or a fault

    std::optional<Time> next_action_at() const {
        if (next_action == step.actions.size()) return std::nullopt;
        return begin + step.actions[next_action].after;
    }
    std::optional<Time> deadline() const {
        if (length || next_action_at()) return end;
        return earliest(end, last_event + quiet_patience);
    }
};

Result<bool> EventLoop::live(const Step& step, std::optional<Time> end) {
    Agenda agenda{.step = step, .begin = now(), .end = end};
    agenda.length = step.until_command ? step.until_command->within : step.advance;
    if (agenda.length) agenda.end = earliest(end, agenda.begin + *agenda.length);
    parts_.passes.look_again();
    while (true) {
        CAPSTAN_CHECK(act(agenda));
        CAPSTAN_TRY(const bool has_passed, pass(agenda));
        if (has_passed && has_come(step)) return true;
        if (has_passed) continue;
        const std::optional<Time> next = next_due(agenda);
        if (!next && !agenda.length) return !end || now() < *end;
        move_to(next ? *next : *agenda.end);
        if (next) {
            tell_progress();
        } else if (now() >= *agenda.end) {
            break;
        }
    }
    return now() >= agenda.begin + *agenda.length;
}

/// The command that the step goes on until.
bool EventLoop::has_come(const Step& step) const {
    return step.until_command &&
           find_command(parts_.passes.commands(), step.until_command->command) != nullptr;
}

Result<void> EventLoop::happen(const Action& action, Time moment) {
    Result<void> done = std::visit(
        [&](const auto& what) -> Result<void> {
            if constexpr (requires { parts_.world.happen(what, moment); }) {
                return parts_.world.happen(what, moment);
            } else if constexpr (requires { parts_.machines.set(what); }) {
                parts_.machines.set(what);
                return {};
            } else {
                if (parts_.cloud == nullptr)
                    return fail(ErrorCode::invalid_config, "this cloud is not the simulated one");
                parts_.passes.look_again();
                return parts_.cloud->happen(what, moment);
            }
        },
        action.what);
    if (done || is_left_out(action, done.error())) return {};
    const std::string line = action.place.line == 0 ? "" : ":" + std::to_string(action.place.line);
    Error error = within(parts_.source + line, std::move(done).error());
    // The input is about something that is not there: a mistake of the input.
    if (lacks_target(error)) error.code = ErrorCode::invalid_config;
    return fail(std::move(error));
}

/// A clock that is set moves nothing but itself.
Result<void> EventLoop::strike() {
    Result<Duration> jump = parts_.fault_injector.reach(now());
    if (!jump) return fail(within(parts_.source, std::move(jump).error()));
    if (*jump == Duration(0)) return {};
    parts_.host.virtual_loop()->step_wall(*jump);
    const auto& clock = parts_.host.loop().clock();
    parts_.world.set_wall_ahead(clock->wall() - clock->now());
    return {};
}

/// Everything that is due but a pass.
Result<void> EventLoop::act(Agenda& agenda) {
    CAPSTAN_CHECK(strike());
    const Time moment = now();
    while (agenda.next_action_at() && *agenda.next_action_at() <= moment) {
        CAPSTAN_CHECK(happen(agenda.step.actions[agenda.next_action++], moment));
        agenda.last_event = moment;
    }
    const auto due = next_by_itself();
    if (due && *due <= moment) agenda.last_event = moment;
    parts_.world.reach(moment);
    parts_.machines.reach(moment);
    if (parts_.world.schedule(moment)) parts_.passes.wake();
    return {};
}

/// Whether one was due.
Result<bool> EventLoop::pass(const Agenda& agenda) {
    const std::optional<Time> due = pass_due();
    if (!due || *due > now() || (agenda.end && now() >= *agenda.end)) return false;
    next_pass_ = *due + scan_interval_;
    CAPSTAN_CHECK(parts_.passes.run());
    return true;
}

std::optional<Time> EventLoop::pass_due() const {
    const std::optional<Time> wanted = parts_.passes.wanted_at();
    const std::optional<Time> due =
        wanted ? std::optional(on_grid(std::max({*wanted, next_pass_, now()}))) : std::nullopt;
    const std::optional<Time>& asked = parts_.passes.asked_for_at();
    return asked ? earliest(due, std::max(*asked, now())) : due;
}

/// The next thing that is due by itself.
std::optional<Time> EventLoop::next_by_itself() const {
    return earliest(parts_.world.next_due(), parts_.machines.next_due());
}

/// Nothing: the step is over. Faults to come keep no step going.
std::optional<Time> EventLoop::next_due(const Agenda& agenda) const {
    const std::optional<Time> next_event = earliest(agenda.next_action_at(), next_by_itself());
    if (!agenda.length && !next_event && !parts_.passes.needed_at()) return std::nullopt;
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

void EventLoop::tell_progress() {
    progress_.at = now() - start_;
    progress_.nodes = parts_.statistics.nodes();
    progress_.pending = parts_.world.pending();
    parts_.observer.on_progress(progress_);
}

/// Ends earlier where a cloud comes to want a pass on the way.
void EventLoop::move_to(Time then) {
    io::ManualLoop& loop = *parts_.host.virtual_loop();
    const bool is_asked = parts_.passes.asked_for_at().has_value();
    bool has_fired = false;
    while (now() < then && parts_.passes.asked_for_at().has_value() == is_asked) {
        const Duration end = loop.monotonic() + (then - now());
        const std::optional<Duration> timer = loop.next_due();
        const bool is_due = timer && *timer <= end;
        has_fired = has_fired || is_due;
        loop.advance(std::max((is_due ? *timer : end) - loop.monotonic(), Duration(0)));
    }
    parts_.statistics.reach(now());
    // A cloud that set a timer may have done something in it.
    if (has_fired) parts_.passes.look_again();
}

}  // namespace capstan::simulation
