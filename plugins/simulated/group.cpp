#include "group.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

namespace capstan::simulated {
namespace {

std::optional<Time> earliest(std::optional<Time> a, std::optional<Time> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

}  // namespace

Group::Group(GroupConfig config, Time start, Time now, int last_number)
    : config_(std::move(config)),
      start_(start),
      now_(now - config_.boot),
      last_number_(last_number),
      capacity_(config_.capacity),
      failure_(config_.failure) {
    request(config_.size);
    launch();
    now_ = now;
    begin_listing(now);
    note_change();
}

Group::Group(GroupConfig config, Time start, Time now, GroupRecord record)
    : config_(std::move(config)),
      start_(start),
      now_(now),
      machines_(std::move(record.machines)),
      last_number_(record.last_number),
      capacity_(config_.capacity),
      failure_(config_.failure) {
    // The record already contains what these changes did to machines.
    while (changes_done_ < config_.changes.size() &&
           start_ + config_.changes[changes_done_].at <= now)
        set_terms(config_.changes[changes_done_++]);
    launch();
    begin_listing(now);
    note_change();
}

void Group::begin_listing(Time now) {
    if (config_.refresh_every <= Duration(0)) return;
    // A list is renewed at multiples of refresh_every since the start, whenever it is requested.
    next_listing_ = now - (now - start_) % config_.refresh_every;
    listed_ = list();
}

void Group::reconfigure(GroupConfig config) {
    config_ = std::move(config);
    changes_done_ = std::min(changes_done_, config_.changes.size());
    launch();
    note_change();
}

void Group::reach(Time now) {
    if (now >= unchanged_until_) {
        for (auto next = next_event(); next && *next <= now; next = next_event()) {
            now_ = std::max(now_, *next);
            apply_next_event();
        }
    }
    // A clock that was set back returns machines to an earlier state.
    const bool goes_back = now < std::exchange(now_, now);
    if (goes_back || now >= unchanged_until_) note_change();
}

void Group::note_change() {
    static std::atomic<std::uint64_t> last = 0;
    version_ = ++last;
    unchanged_until_ = next_change_time();
}

/// The next time at which the group changes without a request.
Time Group::next_change_time() const {
    std::optional<Time> out = next_event();
    for (const Machine& machine : machines_) {
        // A machine changes by time alone in two ways: it begins to run, or its error shows.
        const Time next = machine.launched ? *machine.launched + config_.boot
                                           : machine.requested + config_.error_after;
        if (next > now_) out = earliest(out, next);
    }
    return out.value_or(Time::max());
}

std::optional<Time> Group::next_deletion() const {
    std::optional<Time> out;
    for (const Machine& machine : machines_) out = earliest(out, machine.gone_at);
    return out;
}

std::optional<Time> Group::next_event() const {
    std::optional<Time> change;
    if (changes_done_ < config_.changes.size()) change = start_ + config_.changes[changes_done_].at;
    return earliest(change, earliest(next_deletion(), next_listing_));
}

/// Applies one due event: changes first, and a new list last, so that the list shows them.
void Group::apply_next_event() {
    if (changes_done_ < config_.changes.size() &&
        start_ + config_.changes[changes_done_].at <= now_)
        return apply(config_.changes[changes_done_++]);
    if (const auto vanishing = next_deletion(); vanishing && *vanishing <= now_) {
        std::erase_if(machines_, [&](const Machine& m) { return m.gone_at && *m.gone_at <= now_; });
        return launch();
    }
    CAPSTAN_ASSERT(next_listing_, "next_listing_ has no value");
    listed_ = list();
    *next_listing_ += config_.refresh_every;
}

void Group::adopt(int number, std::string type, Time launched) {
    // Those that wait stand last.
    const auto waiting = std::ranges::find_if_not(
        machines_, [](const Machine& m) { return m.launched.has_value(); });
    machines_.insert(waiting, {.number = number,
                               .type = std::move(type),
                               .requested = launched,
                               .launched = launched,
                               .gone_at = {}});
    last_number_ = std::max(last_number_, number);
    note_change();
}

void Group::begin_running(int number) {
    const auto at = std::ranges::find(machines_, number, &Machine::number);
    assert(at != machines_.end());
    Machine machine = std::move(*at);
    machines_.erase(at);
    machine.launched = std::min(machine.launched.value_or(now_), now_ - config_.boot);
    // Those that wait stand last.
    const auto waiting = std::ranges::find_if_not(
        machines_, [](const Machine& m) { return m.launched.has_value(); });
    machines_.insert(waiting, std::move(machine));
    note_change();
}

void Group::set_terms(const Change& change) {
    if (change.capacity) capacity_ = change.capacity;
    if (change.unlimited) capacity_.reset();
    if (change.recover) failure_ = removal_failure_ = machine_error_ = std::nullopt;
    if (change.failure) failure_ = change.failure;
    if (change.removal_failure) removal_failure_ = change.removal_failure;
    if (change.machine_error) machine_error_ = change.machine_error;
}

void Group::apply(const Change& change) {
    set_terms(change);
    if (change.notice || change.withdraw) {
        announce(change);
    } else {
        vanish(change);
    }
    if (change.target) set_target(*change.target);
    request(change.add);
    run(change.run + change.add);
    launch();
}

void Group::announce(const Change& change) {
    std::vector<int> numbers = change.machines;
    if (numbers.empty() && change.notice && !machines_.empty())
        numbers.push_back(machines_.front().number);
    std::optional<Leaving> leaves;
    if (change.notice) leaves = Leaving{.reason = change.notice->reason};
    if (change.notice && change.notice->after) leaves->at = now_ + *change.notice->after;
    for (Machine& machine : machines_)
        if (numbers.empty() || std::ranges::count(numbers, machine.number) > 0)
            machine.leaves = leaves;
}

/// Removes the machines that the change names, or the oldest ones.
void Group::vanish(const Change& change) {
    const int before = target();
    if (!change.machines.empty()) {
        std::erase_if(machines_, [&](const Machine& m) {
            return std::ranges::count(change.machines, m.number) > 0;
        });
    } else {
        const int gone = std::min(change.lose + change.take, launched());
        machines_.erase(machines_.begin(), machines_.begin() + gone);
    }
    request(std::min(change.lose, before - target()));
}

void Group::run(int count) {
    for (Machine& machine : machines_) {
        if (count == 0) return;
        if (machine.launched) continue;
        machine.launched = now_ - config_.boot;
        --count;
    }
}

/// Requests go first, then the youngest machines.
void Group::set_target(int wanted) {
    if (wanted > target()) return request(wanted - target());
    for (int left = target() - wanted; left > 0; --left) {
        const auto youngest = std::ranges::find_if(machines_.rbegin(), machines_.rend(),
                                                   [](const Machine& m) { return !m.gone_at; });
        machines_.erase(std::next(youngest).base());
    }
}

void Group::request(int count) {
    const std::vector<std::string>& types = config_.types;
    for (int i = 0; i < count; ++i) {
        const std::string& type = types[static_cast<std::size_t>(last_number_) % types.size()];
        machines_.push_back(
            {.number = ++last_number_, .type = type, .requested = now_, .launched = {}});
    }
}

/// Launches waiting machines, as far as the capacity allows.
void Group::launch() {
    int left = capacity_ ? std::max(0, *capacity_ - launched()) : waiting();
    for (Machine& machine : machines_) {
        if (left == 0) return;
        if (machine.launched) continue;
        machine.launched = now_;
        --left;
    }
}

int Group::target() const {
    return static_cast<int>(
        std::ranges::count_if(machines_, [](const Machine& m) { return !m.gone_at; }));
}

int Group::launched() const {
    const auto first = std::ranges::find_if_not(
        machines_, [](const Machine& m) { return m.launched.has_value(); });
    return static_cast<int>(first - machines_.begin());
}

int Group::waiting() const { return static_cast<int>(machines_.size()) - launched(); }

NodeGroup Group::group() const {
    return {.id = config_.id,
            .min = config_.min,
            .max = config_.max,
            .target = target(),
            .autoprovisioned = config_.is_made,
            .template_fingerprint = config_.node.fingerprint,
            .spot = config_.spot,
            .zones = config_.node.zone.empty() ? std::vector<std::string>()
                                               : std::vector{config_.node.zone},
            .price = config_.price.value_or(Price{}),
            .options = config_.options};
}

std::vector<MachineStatus> Group::machine_statuses() const {
    std::vector<MachineStatus> out;
    out.reserve(machines_.size());
    for (const Machine& machine : machines_) out.push_back({machine.number, state_of(machine)});
    // An adopted machine stands before waiting machines although its number is higher.
    std::ranges::sort(out, {}, &MachineStatus::number);
    return out;
}

capstan::Machine Group::machine_now(int number) const {
    const auto at = std::ranges::find(machines_, number, &Machine::number);
    assert(at != machines_.end());
    return machine_of(*at, id_start());
}

std::vector<capstan::Machine> Group::machines() const {
    std::vector<capstan::Machine> out;
    append_machines(out);
    return out;
}

void Group::append_machines(std::vector<capstan::Machine>& out) const {
    if (!next_listing_) return list(out);
    out.insert(out.end(), listed_.begin(), listed_.end());
}

std::vector<capstan::Machine> Group::list() const {
    std::vector<capstan::Machine> out;
    out.reserve(machines_.size());
    list(out);
    return out;
}

void Group::list(std::vector<capstan::Machine>& out) const {
    const std::string start = id_start();
    for (const Machine& machine : machines_) out.push_back(machine_of(machine, start));
}

capstan::Machine Group::machine_of(const Machine& machine, const std::string& id_start) const {
    const std::string number = std::to_string(machine.number);
    capstan::Machine out{.id = MachineId(id_start + number),
                         .group = config_.id,
                         .state = state_of(machine),
                         .machine_type = machine.type,
                         .zone = config_.node.zone,
                         .launched = machine.launched,
                         .error = error_of(machine),
                         .leaves = machine.leaves};
    if (machine.launched && !config_.addresses.empty())
        out.addresses.push_back(config_.addresses + number);
    return out;
}

std::string Group::id_start() const { return "simulated://" + config_.id.value() + "/"; }

MachineId Group::id_of(const Machine& machine) const {
    return MachineId(id_start() + std::to_string(machine.number));
}

MachineState Group::state_of(const Machine& machine) const {
    if (machine.gone_at) return MachineState::deleting;
    if (!machine.launched) return MachineState::requested;
    return now_ < *machine.launched + config_.boot ? MachineState::creating : MachineState::running;
}

std::optional<Error> Group::error_of(const Machine& machine) const {
    if (machine.launched) return std::nullopt;
    if (machine_error_) return machine_error_;
    const bool is_reported =
        config_.on_exhausted != Shortage::silent && now_ >= machine.requested + config_.error_after;
    if (!is_reported) return std::nullopt;
    return Error{.code = ErrorCode::out_of_capacity,
                 .message = "the cloud has only " + counted(capacity_.value_or(0), "machine") +
                            " of this kind"};
}

}  // namespace capstan::simulated
