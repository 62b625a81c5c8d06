/// How long to wait after a failure before the next attempt.
#pragma once

#include <cstdint>
#include <optional>

#include <capstan/time.hpp>

#include "io/clock.hpp"

namespace capstan::kubernetes {

/// 0.8 s, twice as long after each further failure up to 30 s, and up to as much again by chance,
/// so that clients that lost their server together do not come back together. Two minutes without a
/// failure start it anew.
class WatchBackoff {
public:
    explicit WatchBackoff(std::uint64_t seed) : random_(seed) {}
    /// `now`: of a clock that never steps back.
    Duration next(Duration now);

private:
    io::RandomSource random_;
    std::optional<Duration> step_{};
    Duration waited_until_{};
};

/// From `least` to `least + spread`.
Duration with_jitter(io::RandomSource& random, Duration least, Duration spread);

}  // namespace capstan::kubernetes
