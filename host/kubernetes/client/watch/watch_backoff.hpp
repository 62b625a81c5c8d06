/// How long to wait after a failure before the next attempt.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::kubernetes {

/// How long a server may ask a watch to wait: an advice beyond it is taken for a mistake.
inline constexpr Duration longest_advice = std::chrono::minutes(5);

/// 0.8 s, twice as long after each further failure up to 30 s, and up to as much again by chance,
/// so that clients that lost their server together do not come back together. Two minutes without a
/// failure start it anew.
class WatchBackoff {
public:
    explicit WatchBackoff(std::uint64_t seed) : random_(seed) {}
    /// `now`: of a clock that never steps back.
    Duration next(Duration now);
    /// The same where the server goes on well but no longer keeps the version that was asked for:
    /// within 0.8 s, however long the server was away before. More than two within a minute count
    /// as failures.
    Duration next_relist(Duration now);

private:
    io::RandomSource random_;
    std::optional<Duration> step_{};
    Duration waited_until_{};
    std::optional<Duration> first_relist_{};  ///< of this minute
    int relists_ = 0;                         ///< since then
};

/// From `least` to `least + spread`.
Duration with_jitter(io::RandomSource& random, Duration least, Duration spread);

}  // namespace capstan::kubernetes
