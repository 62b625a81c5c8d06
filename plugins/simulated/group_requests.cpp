// What a group is asked for.
#include <algorithm>
#include <limits>

#include <capstan/sentence.hpp>

#include "group.hpp"

namespace capstan::simulated {

Result<void> Group::check(const Resize& request) const {
    if (request.delta < 1)
        return fail(ErrorCode::invalid_argument, "a change by less than one machine");
    if (request.expected_target == target()) return {};
    return fail(ErrorCode::conflict, "its target is " + std::to_string(target()) + ", not " +
                                         std::to_string(request.expected_target));
}

/// How many of the requested machines the group accepts: all, unless it refuses increases above its
/// capacity.
int Group::machines_left(const Resize& request) const {
    if (config_.on_exhausted != Shortage::refuse || !capacity_) return request.delta;
    return std::max(0, *capacity_ - static_cast<int>(machines_.size()));
}

Result<Resized> Group::increase(const Resize& request) {
    CAPSTAN_CHECK(check(request));
    const int max = config_.max.value_or(std::numeric_limits<int>::max());
    if (request.delta > max - target()) {
        return fail(ErrorCode::invalid_argument,
                    counted(request.delta, "machine") + " on top of " + std::to_string(target()) +
                        " would pass its maximum of " + std::to_string(max));
    }
    if (failure_) return fail(*failure_);
    const int left = machines_left(request);
    std::optional<Error> shortfall;
    if (left < request.delta)
        shortfall =
            Error{.code = ErrorCode::out_of_capacity,
                  .message = counted(request.delta, "machine") + " asked for, the cloud has " +
                             std::to_string(left) + " left of " + std::to_string(*capacity_)};
    if (shortfall && (left == 0 || request.all_or_nothing)) return fail(*std::move(shortfall));
    this->request(std::min(left, request.delta));
    launch();
    note_change();
    return Resized{.target = target(), .shortfall = std::move(shortfall)};
}

Result<Resized> Group::decrease_target(const Resize& request) {
    CAPSTAN_CHECK(check(request));
    if (request.delta > waiting()) {
        return fail(ErrorCode::invalid_argument, "only " + counted(waiting(), "machine") + " of " +
                                                     std::to_string(request.delta) +
                                                     " can be taken back, the others are made");
    }
    set_target(target() - request.delta);
    note_change();
    return Resized{.target = target()};
}

/// Why the machine cannot be removed; nullopt if it can. Removing a machine again has no effect.
std::optional<Error> Group::refusal(const MachineId& machine) const {
    const auto at =
        std::ranges::find(machines_, machine, [&](const Machine& m) { return id_of(m); });
    if (at == machines_.end()) {
        return Error{.code = ErrorCode::not_found,
                     .message = "no machine " + in_quotes(machine.value()),
                     .subject = machine.value()};
    }
    if (!removal_failure_) return std::nullopt;
    return Error{.code = removal_failure_->code,
                 .message = removal_failure_->message,
                 .subject = machine.value()};
}

Result<Removed> Group::remove(const Removal& request) {
    Removed out;
    std::vector<Machine*> going;
    for (const MachineId& id : request.machines) {
        if (auto error = refusal(id)) {
            out.failed.push_back(*std::move(error));
            continue;
        }
        Machine& machine =
            *std::ranges::find(machines_, id, [&](const Machine& m) { return id_of(m); });
        if (!machine.gone_at && std::ranges::count(going, &machine) == 0) going.push_back(&machine);
    }
    const auto fewer = static_cast<int>(going.size());
    const bool is_bounded = !request.force && !request.keep_target;
    if (fewer > 0 && is_bounded && target() - fewer < config_.min) {
        return fail(ErrorCode::invalid_argument, "without " + counted(fewer, "machine") +
                                                     " it would be below its minimum of " +
                                                     std::to_string(config_.min));
    }
    // A machine that was never launched is gone at once.
    for (Machine* machine : going)
        machine->gone_at = machine->launched ? now_ + config_.delete_time : now_;
    std::erase_if(machines_, [&](const Machine& m) { return m.gone_at && *m.gone_at <= now_; });
    if (request.keep_target) this->request(fewer);
    launch();
    listed_ = list();
    note_change();
    return out;
}

}  // namespace capstan::simulated
