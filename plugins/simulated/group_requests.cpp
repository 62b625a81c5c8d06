// What a group is asked for.
#include <algorithm>

#include <capstan/sentence.hpp>

#include "group.hpp"

namespace capstan::simulated {

TargetSetter::Current Group::current() const {
    const auto made =
        std::ranges::count_if(machines_, [](const Machine& m) { return m.launched && !m.gone_at; });
    return {.target = target(),
            .machines = static_cast<int>(made),
            .min = config_.min,
            .max = config_.max};
}

/// How many of `more` machines the group accepts: all, unless it refuses increases above its
/// capacity.
int Group::machines_left(int more) const {
    if (config_.on_exhausted != Shortage::refuse || !capacity_) return more;
    return std::max(0, *capacity_ - static_cast<int>(machines_.size()));
}

Result<Resized> Group::resize(int goal, bool all_or_nothing) {
    const int more = goal - target();
    if (more > 0 && failure_) return fail(*failure_);
    std::optional<Error> shortfall;
    if (const int left = machines_left(more); capacity_ && more > 0 && left < more) {
        shortfall =
            Error{.code = ErrorCode::out_of_capacity,
                  .message = counted(more, "machine") + " requested, the cloud has " +
                             std::to_string(left) + " left of " + std::to_string(*capacity_)};
        if (left == 0 || all_or_nothing) return fail(*std::move(shortfall));
        goal -= more - left;
    }
    set_target(goal);
    launch();
    note_change();
    return Resized{.target = goal, .shortfall = std::move(shortfall)};
}

/// Why the machine cannot be removed; nullopt if it can. Removing a machine again has no effect.
std::optional<Error> Group::refusal(const MachineId& machine) const {
    const auto at =
        std::ranges::find(machines_, machine, [&](const Machine& m) { return id_of(m); });
    if (at == machines_.end()) {
        return Error{.code = ErrorCode::not_found,
                     .message = "no such machine: " + in_quotes(machine.value()),
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
        return fail(ErrorCode::invalid_argument, "removing " + counted(fewer, "machine") +
                                                     " would go below the minimum of " +
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
