#include "engine/health/cloud_rests.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/hash.hpp>

#include "engine/health/backoff.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {
namespace {

constexpr BackoffLengths throttled_rest{.first = std::chrono::seconds(20),
                                        .most = std::chrono::minutes(5)};
constexpr BackoffLengths credentials_rest{.first = std::chrono::minutes(1),
                                          .most = std::chrono::minutes(15)};
constexpr Duration rest_reset = std::chrono::minutes(10);

bool is_rest_past(const CloudBackoff& rest, Time now) {
    return is_backoff_past(rest.until, rest.until, rest_reset, now);
}

template <class Actions>
void rest_by(Memory& memory, Call call, const Actions& actions,
             const std::vector<std::optional<Error>>& results, Time now) {
    for (std::size_t i = 0; i < std::min(actions.size(), results.size()); ++i)
        if (results[i]) rest_cloud(memory, actions[i].cloud, call, *results[i], now);
}

std::string why_resting(const PluginInstanceId& cloud, const CloudBackoff& rest) {
    const auto length = std::chrono::ceil<std::chrono::seconds>(rest.until - rest.last_failure);
    std::string out = "cloud " + cloud.value() + " is backed off for " + format_duration(length) +
                      ": " + rest.because;
    if (rest.failures > 1) out += " (" + std::to_string(rest.failures) + " times in a row)";
    return out;
}

}  // namespace

Duration with_jitter(Duration length, std::string_view of, Time now) noexcept {
    Hash hash;
    hash.add(of);
    hash.add(unix_ns(now));
    constexpr std::uint64_t steps = 1024;
    return length + length / 4 * static_cast<std::int64_t>(hash.value() % steps) /
                        static_cast<std::int64_t>(steps);
}

void rest_cloud(Memory& memory, const PluginInstanceId& cloud, Call call, const Error& error,
                Time now) {
    const Reaction reaction = reaction_to(call, error.code);
    const bool awaits = reaction == Reaction::await_credentials;
    if (!awaits && reaction != Reaction::rest_cloud) return;
    const BackoffLengths& lengths = awaits ? credentials_rest : throttled_rest;
    CloudBackoff& rest = memory.cloud_backoffs[cloud];
    if (rest.failures > 0 && is_rest_past(rest, now)) rest = {};
    const bool is_resting = rest.failures > 0 && now < rest.until;
    rest.length =
        std::min(std::max(lengths.first, next_backoff_length(rest.length, is_resting, lengths)),
                 lengths.most);
    if (rest.failures == 0) rest.since = now;
    if (!is_resting) ++rest.failures;
    rest.last_failure = now;
    rest.code = error.code;
    rest.because = error.message;
    const Duration asked = find_backoff_end(error, rest.length, lengths.most, now) - now;
    rest.until = std::max(rest.until, later(now, with_jitter(asked, cloud.value(), now)));
}

Memory remember_refreshes(Memory memory, const std::map<PluginInstanceId, Error>& failed,
                          Time now) {
    for (const auto& [cloud, error] : failed) rest_cloud(memory, cloud, Call::refresh, error, now);
    return memory;
}

Memory remember_cloud_results(Memory memory, const Decision& decision, const Results& results,
                              Time now) {
    rest_by(memory, Call::decrease_target, decision.decreases, results.decreases, now);
    rest_by(memory, Call::create_group, decision.creations, results.creations, now);
    rest_by(memory, Call::increase, decision.increases, results.increases, now);
    rest_by(memory, Call::increase, decision.increases, results.shortfalls, now);
    rest_by(memory, Call::destroy_group, decision.deletions, results.deletions, now);
    for (std::size_t i = 0; i < std::min(decision.removals.size(), results.removals.size()); ++i)
        for (const Error& error : results.removals[i])
            rest_cloud(memory, decision.removals[i].cloud, Call::remove, error, now);
    return memory;
}

void forget_cloud_backoffs(Memory& memory, Time now) {
    std::erase_if(memory.cloud_backoffs,
                  [&](const auto& entry) { return is_rest_past(entry.second, now); });
}

std::map<PluginInstanceId, std::string> find_resting_clouds(const Memory& memory, Time now) {
    std::map<PluginInstanceId, std::string> out;
    for (const auto& [cloud, rest] : memory.cloud_backoffs)
        if (now < rest.until) out.emplace(cloud, why_resting(cloud, rest));
    return out;
}

std::optional<Time> next_cloud_backoff_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    for (const auto& [cloud, rest] : memory.cloud_backoffs)
        if (now < rest.until) out = std::min(out.value_or(rest.until), rest.until);
    return out;
}

}  // namespace capstan::engine::health
