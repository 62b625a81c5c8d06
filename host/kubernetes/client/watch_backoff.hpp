/// How long to wait after a failure before the next attempt.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::kubernetes::client {

/// How long a server may ask a watch to wait: an advice beyond it is taken for a mistake.
inline constexpr Duration longest_advice = std::chrono::minutes(5);

/// 0.8 s, twice as long after each further failure up to a longest step, and up to as much again by
/// chance, so that clients that lost their server together do not come back together. Two minutes
/// without a failure start it anew.
class WatchBackoff {
public:
    /// Steps of 10 s at most have it tried again well before a cluster counts as out of touch.
    explicit WatchBackoff(std::uint64_t seed, Duration longest_step = std::chrono::seconds(10))
        : random_(seed), longest_step_(longest_step) {}
    /// `now`: of a clock that never steps back.
    Duration next(Duration now);
    /// Where the server goes on well but no longer keeps the version that was asked for: within
    /// 0.8 s, however long the server was away before. Nothing: that is a failure, for it has
    /// happened twice within the minute; `was_away`, that the server was just now: five times.
    std::optional<Duration> next_relist(Duration now, bool was_away);

private:
    io::RandomSource random_;
    Duration longest_step_;
    std::optional<Duration> step_{};
    Duration waited_until_{};
    std::optional<Duration> first_relist_{};  ///< of this minute
    int relists_ = 0;                         ///< since then
};

/// From `least` to `least + spread`.
Duration with_jitter(io::RandomSource& random, Duration least, Duration spread);

}  // namespace capstan::kubernetes::client
