#include "engine/health/cloud_backoff.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/reactions.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

using CloudBackoffs = std::map<PluginInstanceId, CloudBackoff>;

constexpr BackoffLengths credentials_lengths{.first = std::chrono::minutes(1),
                                             .most = std::chrono::minutes(15)};
/// The longest wait that a cloud which throttles may ask for.
constexpr Duration throttled_wait_max = std::chrono::minutes(5);
constexpr Duration cloud_backoff_reset = std::chrono::minutes(10);
/// How long after its cloud a throttled group may be increased again: another group is tried first.
constexpr Duration turn_of_others = std::chrono::seconds(1);

bool is_cloud_backoff_past(const CloudBackoff& backoff, Time now) {
    return is_backoff_past(backoff.until, backoff.until, cloud_backoff_reset, now);
}

bool has_not_ended(const CloudBackoff& backoff, Time now) { return now < backoff.until; }

bool concerns_cloud(Reaction reaction) {
    return reaction == Reaction::back_off_cloud || reaction == Reaction::await_credentials;
}

void back_off_cloud(CloudBackoffs& backoffs, const PluginInstanceId& cloud, Reaction reaction,
                    const Error& error, Time now) {
    const bool awaits = reaction == Reaction::await_credentials;
    const BackoffLengths& lengths = awaits ? credentials_lengths : throttled_lengths;
    CloudBackoff& backoff = backoffs[cloud];
    if (backoff.failures > 0 && is_cloud_backoff_past(backoff, now)) backoff = {};
    const bool is_active_now = backoff.failures > 0 && has_not_ended(backoff, now);
    backoff.length = std::clamp(next_backoff_length(backoff.length, is_active_now, lengths),
                                lengths.first, lengths.most);
    if (backoff.failures == 0) backoff.since = now;
    if (!is_active_now) ++backoff.failures;
    backoff.last_failure = now;
    backoff.code = error.code;
    backoff.because = error.message;
    const Duration longest = awaits ? lengths.most : throttled_wait_max;
    const Duration wait = find_backoff_end(error, backoff.length, longest, now) - now;
    backoff.until = std::max(backoff.until, later(now, with_jitter(wait, cloud.value(), now)));
}

/// What the actions of one decision say about requests to one cloud.
struct RequestOutcomes {
    bool is_served = false;  ///< a change was carried out
    bool rests = false;      ///< a call was throttled that is no increase of a group
    std::set<NodeGroupId> throttled_groups{};  ///< with a throttled increase
    std::optional<Error> throttled{}, refused_credentials{};
};

class OutcomesByCloud {
public:
    template <class Actions>
    void take(Call call, const Actions& actions, const std::vector<std::optional<Error>>& results) {
        for (std::size_t i = 0; i < std::min(actions.size(), results.size()); ++i) {
            RequestOutcomes& of = by_cloud_[actions[i].cloud];
            if (const std::optional<Error>& error = results[i]) {
                take(of, call, actions[i].group, *error);
            } else {
                of.is_served = true;
            }
        }
    }
    void take_removals(const Decision& decision, const Results& results) {
        const std::size_t count = std::min(decision.removals.size(), results.removals.size());
        for (std::size_t i = 0; i < count; ++i) {
            RequestOutcomes& of = by_cloud_[decision.removals[i].cloud];
            if (results.removals[i].empty()) of.is_served = true;
            for (const Error& error : results.removals[i])
                take(of, Call::remove, decision.removals[i].group, error);
        }
    }
    /// Increases that were carried out in part.
    void take_shortfalls(const Decision& decision, const Results& results) {
        const std::size_t count = std::min(decision.increases.size(), results.shortfalls.size());
        for (std::size_t i = 0; i < count; ++i)
            if (const std::optional<Error>& shortfall = results.shortfalls[i])
                take(by_cloud_[decision.increases[i].cloud], Call::increase,
                     decision.increases[i].group, *shortfall);
    }
    const std::map<PluginInstanceId, RequestOutcomes>& all() const noexcept { return by_cloud_; }

private:
    static void take(RequestOutcomes& of, Call call, const NodeGroupId& group, const Error& error) {
        const Reaction reaction = reaction_to(call, error.code);
        if (reaction == Reaction::await_credentials) of.refused_credentials = error;
        if (reaction != Reaction::back_off_cloud) return;
        of.throttled = error;
        const bool is_growth = call == Call::increase || call == Call::create_group;
        is_growth ? void(of.throttled_groups.insert(group)) : void(of.rests = true);
    }
    std::map<PluginInstanceId, RequestOutcomes> by_cloud_{};
};

/// The next pass after the back-off tries other groups first, in case only these are throttled.
void let_others_go_first(Memory& memory, const std::set<NodeGroupId>& groups, Time until) {
    for (const NodeGroupId& group : groups) {
        const auto at = memory.backoffs.find(group);
        if (at == memory.backoffs.end()) continue;
        if (std::optional<Time>& end = at->second.until)
            end = std::max(*end, later(until, turn_of_others));
    }
}

void take_throttled(Memory& memory, const PluginInstanceId& cloud, const RequestOutcomes& outcomes,
                    const Error& throttled, Time now) {
    CloudBackoffs& backoffs = memory.request_backoffs;
    const auto row = backoffs.find(cloud);
    const bool is_first = row == backoffs.end() || is_cloud_backoff_past(row->second, now);
    if (is_first && outcomes.throttled_groups.size() == 1 && !outcomes.rests) {
        backoffs[cloud] = {.since = now,
                           .until = now,
                           .last_failure = now,
                           .code = throttled.code,
                           .because = throttled.message};
        return;
    }
    back_off_cloud(backoffs, cloud, Reaction::back_off_cloud, throttled, now);
    let_others_go_first(memory, outcomes.throttled_groups, backoffs.at(cloud).until);
}

std::string describe(const std::string& what, const std::string& end, const CloudBackoff& backoff) {
    std::string out = what + " backed off until " + end + ": " + backoff.because.text();
    if (backoff.failures > 1) out += " (" + std::to_string(backoff.failures) + " times in a row)";
    return out;
}

}  // namespace

Memory remember_refreshes(Memory memory, const RefreshResults& results, Time now) {
    for (const auto& [cloud, error] : results) {
        if (!error) {
            memory.cloud_backoffs.erase(cloud);
        } else if (const Reaction reaction = reaction_to(Call::refresh, error->code);
                   concerns_cloud(reaction)) {
            back_off_cloud(memory.cloud_backoffs, cloud, reaction, *error, now);
        }
    }
    return memory;
}

Memory remember_cloud_results(Memory memory, const Decision& decision, const Results& results,
                              Time now) {
    OutcomesByCloud outcomes;
    outcomes.take(Call::decrease_target, decision.decreases, results.decreases);
    outcomes.take(Call::create_group, decision.creations, results.creations);
    outcomes.take(Call::increase, decision.increases, results.increases);
    outcomes.take(Call::destroy_group, decision.deletions, results.deletions);
    outcomes.take_shortfalls(decision, results);
    outcomes.take_removals(decision, results);
    for (const auto& [cloud, of] : outcomes.all()) {
        if (of.refused_credentials) {
            back_off_cloud(memory.request_backoffs, cloud, Reaction::await_credentials,
                           *of.refused_credentials, now);
        } else if (of.throttled && (of.rests || !of.is_served)) {
            take_throttled(memory, cloud, of, *of.throttled, now);
        } else if (of.is_served) {
            memory.request_backoffs.erase(cloud);
        }
    }
    return memory;
}

void forget_cloud_backoffs(Memory& memory, Time now) {
    for (CloudBackoffs* const backoffs : {&memory.cloud_backoffs, &memory.request_backoffs})
        std::erase_if(*backoffs,
                      [&](const auto& entry) { return is_cloud_backoff_past(entry.second, now); });
}

std::map<PluginInstanceId, std::string> find_backed_off_clouds(const Memory& memory,
                                                               const PassTime& time) {
    std::map<PluginInstanceId, std::string> out;
    for (const auto& [cloud, backoff] : memory.cloud_backoffs)
        if (has_not_ended(backoff, time.now))
            out.emplace(cloud, describe("cloud " + cloud.value() + " is",
                                        end_text(backoff.until, time), backoff));
    return out;
}

std::set<PluginInstanceId> find_probed_clouds(const Memory& memory) {
    std::set<PluginInstanceId> out;
    for (const auto& [cloud, backoff] : memory.cloud_backoffs)
        if (reaction_to(Call::refresh, backoff.code) == Reaction::back_off_cloud) out.insert(cloud);
    return out;
}

std::string find_request_backoff(const Memory& memory, const PluginInstanceId& cloud,
                                 const PassTime& time) {
    const auto at = memory.request_backoffs.find(cloud);
    if (at == memory.request_backoffs.end() || !has_not_ended(at->second, time.now)) return {};
    return describe("requests to cloud " + cloud.value() + " are", end_text(at->second.until, time),
                    at->second);
}

Snapshot with_request_backoffs(const Snapshot& snapshot, const Memory& memory,
                               const PassTime& time) {
    const bool is_any = std::ranges::any_of(memory.request_backoffs, [&](const auto& entry) {
        return has_not_ended(entry.second, time.now);
    });
    if (!is_any) return snapshot;
    std::vector<Group> groups = *snapshot.groups;
    for (Group& group : groups)
        if (group.unreadable_because.empty())
            group.unreadable_because = find_request_backoff(memory, group.cloud, time);
    Snapshot out = snapshot;
    out.groups = std::make_shared<const std::vector<Group>>(std::move(groups));
    return out;
}

std::optional<Time> next_cloud_backoff_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    for (const CloudBackoffs* const backoffs : {&memory.cloud_backoffs, &memory.request_backoffs})
        for (const auto& [cloud, backoff] : *backoffs)
            if (has_not_ended(backoff, now))
                out = std::min(out.value_or(backoff.until), backoff.until);
    return out;
}

}  // namespace capstan::engine::health
