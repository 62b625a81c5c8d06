#include "engine/health/upcoming.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"

namespace capstan::engine::health {
namespace {

/// Machines of one group that have no node, by what becomes of them.
struct MissingMachines {
    int waited_for = 0, failed = 0, late = 0, written_off = 0;
};

void add_part(std::string& sentence, std::string_view between, const std::string& part) {
    sentence.append(sentence.empty() ? "" : between).append(part);
}

std::string not_waited_for(const MissingMachines& machines, Duration limit) {
    std::string out;
    const auto add = [&](int n, const std::string& what) {
        if (n > 0) add_part(out, ", ", counted(n, "machine") + " " + what);
    };
    add(machines.failed, "that failed");
    add(machines.late, "launched more than " + format_duration(limit) + " ago");
    add(machines.written_off, "asked for before the group was backed off");
    return out;
}

std::string sentence(const Upcoming& upcoming, const MissingMachines& machines, Duration limit) {
    std::string out;
    if (upcoming.missing > 0) {
        out = counted(upcoming.missing, "machine") + (upcoming.missing == 1 ? " has" : " have") +
              " not joined";
    }
    if (upcoming.starting > 0) {
        add_part(out, ", ",
                 counted(upcoming.starting, "node") + (upcoming.starting == 1 ? " is" : " are") +
                     " not ready yet");
    }
    const std::string others = not_waited_for(machines, limit);
    if (!others.empty()) add_part(out, "; ", "not waited for: " + others);
    return out;
}

class UpcomingCounter {
public:
    UpcomingCounter(const GroupCounts& group, const Memory& memory, NextChange& next_change)
        : group_(group),
          memory_(memory),
          next_change_(next_change),
          is_backed_off_(find_backoff(memory, group.id(), next_change.now()) != nullptr) {}

    void run(GroupHealth& out) {
        for (std::size_t m = 0; m < group_.fates.size(); ++m) count(m, out);
        count_unlisted(out);
        machines_.failed = out.failed = group_.machines.failed + group_.machines.failed_request;
        // A target that was taken back leaves machines that the cloud will not finish.
        const int held = group_.machines.joined + group_.machines.foreign;
        const int most = group_.group->group.target.value_or(group_.machines.listed()) - held;
        out.upcoming.missing = std::clamp(most, 0, machines_.waited_for);
        const int asked_for = group_.group->group.target.value_or(group_.machines.listed());
        out.outstanding = std::max(0, asked_for - group_.machines.with_node);
        out.upcoming.because = sentence(out.upcoming, machines_, group_.limit);
    }

private:
    void count(std::size_t m, GroupHealth& out) {
        const MachineFate fate = group_.fates[m];
        if (fate != MachineFate::requested && fate != MachineFate::begun) return;
        const Machine& machine = group_.group->machines[m];
        const Time seen = unjoined_since(memory_, group_.id(), machine, next_change_.now());
        const std::optional<Time> launched =
            launched_at(memory_, group_.id(), machine, next_change_.time());
        // Asked both, so that the alarm hears of both.
        const bool seen_late = !next_change_.is_within(seen, group_.limit);
        const bool late =
            (launched && !next_change_.is_within(*launched, group_.limit)) || seen_late;
        ++(late ? out.long_unjoined : out.unjoined);
        const bool given_up =
            is_backed_off_ &&
            (fate == MachineFate::requested ||
             !is_waited_for(memory_, group_.id(), std::min(seen, launched.value_or(seen)),
                            next_change_.now()));
        ++(given_up ? machines_.written_off : late ? machines_.late : machines_.waited_for);
    }

    /// Timed by the request, and by it alone. What its cloud agreed to and cannot have listed yet
    /// is waited for though other machines failed.
    void count_unlisted(GroupHealth& out) {
        const int unlisted = group_.machines.unlisted;
        const AnsweredTarget* const answer = find_counting_answer(memory_, group_.group->group);
        const bool is_agreed =
            answer != nullptr &&
            is_waited_for(memory_, group_.id(), answer->since, next_change_.now());
        const bool is_asked_for = memory_.requests.contains(group_.id());
        (is_backed_off_ && !is_asked_for ? out.long_unjoined : out.unjoined) += unlisted;
        const bool given_up = is_backed_off_ && !is_agreed;
        (given_up ? machines_.written_off : machines_.waited_for) += unlisted;
    }

    const GroupCounts& group_;
    const Memory& memory_;
    NextChange& next_change_;
    bool is_backed_off_;
    MissingMachines machines_{};
};

}  // namespace

bool is_waited_for(const Memory& memory, const NodeGroupId& group, Time since, Time now) noexcept {
    const Backoff* backoff = find_backoff(memory, group, now);
    return backoff == nullptr || backoff->code != ErrorCode::deadline ||
           since > backoff->last_failure;
}

void count_upcoming(const GroupCounts& group, int starting, const Memory& memory,
                    NextChange& next_change, GroupHealth& out) {
    out.upcoming.starting = starting;
    UpcomingCounter(group, memory, next_change).run(out);
}

}  // namespace capstan::engine::health
