#include "group.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <capstan/sentence.hpp>

namespace capstan::simulated {

Group::Group(const GroupConfig& config, Time start)
    : config_(config),
      start_(start),
      now_(start - config.boot),
      capacity_(config.capacity),
      failure_(config.failure),
      next_change_(config.changes.begin()) {
    request(config.size);
    launch();
    now_ = start;
}

void Group::reach(Time now) {
    for (; next_change_ != config_.changes.end() && start_ + next_change_->at <= now;
         ++next_change_) {
        now_ = start_ + next_change_->at;
        apply(*next_change_);
    }
    now_ = now;
}

void Group::apply(const Change& change) {
    if (change.capacity) capacity_ = change.capacity;
    if (change.unlimited) capacity_.reset();
    if (change.failure) failure_ = change.failure;
    if (change.recover) failure_.reset();
    const int gone = std::min(change.lose, launched());
    machines_.erase(machines_.begin(), machines_.begin() + gone);
    request(gone);
    if (change.target) set_target(*change.target);
    launch();
}

void Group::set_target(int wanted) {
    if (wanted > target()) return request(wanted - target());
    machines_.erase(machines_.begin() + wanted, machines_.end());
}

void Group::request(int count) {
    for (int i = 0; i < count; ++i)
        machines_.push_back({.number = ++last_number_, .requested = now_, .launched = {}});
}

/// Gives machines to those that wait, as far as the cloud has any.
void Group::launch() {
    int left = capacity_ ? std::max(0, *capacity_ - launched()) : waiting();
    for (Machine& machine : machines_) {
        if (left == 0) return;
        if (machine.launched) continue;
        machine.launched = now_;
        --left;
    }
}

int Group::launched() const {
    const auto first = std::ranges::find_if_not(
        machines_, [](const Machine& m) { return m.launched.has_value(); });
    return static_cast<int>(first - machines_.begin());
}

Result<void> Group::check(const Resize& request) const {
    if (request.delta < 1)
        return fail(ErrorCode::invalid_argument, "a change by less than one machine");
    if (request.expected_target == target()) return {};
    return fail(ErrorCode::conflict, "its target is " + std::to_string(target()) + ", not " +
                                         std::to_string(request.expected_target));
}

/// How many of the wanted machines it takes on.
Result<int> Group::grantable(const Resize& request) const {
    if (config_.on_exhausted != Shortage::refuse || !capacity_) return request.delta;
    const int left = std::max(0, *capacity_ - target());
    if (left >= request.delta || (left > 0 && !request.all_or_nothing))
        return std::min(left, request.delta);
    return fail(ErrorCode::out_of_capacity,
                counted(request.delta, "machine") + " asked for, the cloud has " +
                    std::to_string(left) + " left of " + std::to_string(*capacity_));
}

Result<int> Group::increase(const Resize& request) {
    CAPSTAN_CHECK(check(request));
    const int max = config_.max.value_or(std::numeric_limits<int>::max());
    if (request.delta > max - target()) {
        return fail(ErrorCode::invalid_argument,
                    counted(request.delta, "machine") + " on top of " + std::to_string(target()) +
                        " would pass its maximum of " + std::to_string(max));
    }
    if (failure_) return fail(*failure_);
    CAPSTAN_TRY(const int granted, grantable(request));
    this->request(granted);
    launch();
    return target();
}

Result<int> Group::decrease_target(const Resize& request) {
    CAPSTAN_CHECK(check(request));
    if (request.delta > waiting()) {
        return fail(ErrorCode::invalid_argument, "only " + counted(waiting(), "machine") + " of " +
                                                     std::to_string(request.delta) +
                                                     " can be taken back, the others are made");
    }
    set_target(target() - request.delta);
    return target();
}

Result<Removed> Group::remove(const Removal& request) {
    std::set<MachineId> unwanted(request.machines.begin(), request.machines.end());
    const auto goes = [&](const Machine& m) { return unwanted.contains(id_of(m)); };
    const auto going = static_cast<int>(std::ranges::count_if(machines_, goes));
    if (going > 0 && !request.force && target() - going < config_.min) {
        return fail(ErrorCode::invalid_argument, "without " + counted(going, "machine") +
                                                     " it would be below its minimum of " +
                                                     std::to_string(config_.min));
    }
    std::erase_if(machines_, [&](const Machine& m) { return unwanted.erase(id_of(m)) > 0; });
    launch();
    Removed out;
    for (const MachineId& id : unwanted) {
        out.failed.push_back({.code = ErrorCode::not_found,
                              .message = "no machine " + in_quotes(id.value()),
                              .subject = id.value()});
    }
    return out;
}

NodeGroup Group::group() const {
    return {.id = config_.id,
            .min = config_.min,
            .max = config_.max,
            .target = target(),
            .template_fingerprint = config_.node.fingerprint};
}

std::vector<capstan::Machine> Group::machines() const {
    std::vector<capstan::Machine> out;
    out.reserve(machines_.size());
    for (const Machine& machine : machines_) {
        out.push_back({.id = id_of(machine),
                       .group = config_.id,
                       .state = state_of(machine),
                       .machine_type = config_.node.machine_type,
                       .zone = config_.node.zone,
                       .launched = machine.launched,
                       .error = error_of(machine)});
    }
    return out;
}

MachineId Group::id_of(const Machine& machine) const {
    return MachineId("simulated://" + config_.id.value() + "/" + std::to_string(machine.number));
}

MachineState Group::state_of(const Machine& machine) const {
    if (!machine.launched) return MachineState::requested;
    return now_ < *machine.launched + config_.boot ? MachineState::creating : MachineState::running;
}

std::optional<Error> Group::error_of(const Machine& machine) const {
    const bool is_told =
        config_.on_exhausted != Shortage::silent && now_ >= machine.requested + config_.error_after;
    if (machine.launched || !is_told) return std::nullopt;
    return Error{.code = ErrorCode::out_of_capacity,
                 .message = "the cloud has only " + counted(capacity_.value_or(0), "machine") +
                            " of this kind"};
}

}  // namespace capstan::simulated
