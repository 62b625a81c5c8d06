/// Exponential back-off with jitter.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::kubernetes::client {

/// The longest Retry-After that a watch obeys. A longer one is cut to this.
inline constexpr Duration retry_after_max = std::chrono::minutes(5);

/// The step is 0.8 s and doubles with each further failure, up to a longest step. The wait is the
/// step plus up to as much again by chance, so that clients that lost their server together do not
/// come back together. Two minutes without a failure reset the step.
class WatchBackoff {
public:
    /// With steps of 10 s at most, a retry comes well before a cluster counts as out of touch.
    explicit WatchBackoff(std::uint64_t seed, Duration longest_step = std::chrono::seconds(10))
        : random_(seed), longest_step_(longest_step) {}
    /// How long to wait after a failure. `now` is the time of a clock that never steps back.
    Duration next(Duration now);
    /// How long to wait before a new list, if the server works but does not have the requested
    /// version: up to 0.8 s, independent of the back-off. Absent: the limit of relists within a
    /// minute is reached, and the caller treats this as a failure. The limit is two. If `was_away`,
    /// that is if the server failed a moment ago, the limit is five.
    std::optional<Duration> next_relist(Duration now, bool was_away);

private:
    io::RandomSource random_;
    Duration longest_step_;
    std::optional<Duration> step_{};
    Duration waited_until_{};
    std::optional<Duration> first_relist_{};  ///< when the present minute began
    int relists_ = 0;                         ///< since first_relist_
};

/// A random duration from `least` to `least + spread`.
Duration with_jitter(io::RandomSource& random, Duration least, Duration spread);

}  // namespace capstan::kubernetes::client
