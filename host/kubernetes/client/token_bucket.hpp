/// How many requests may go in a second.
#pragma once

#include <capstan/time.hpp>

namespace capstan::kubernetes::client {

/// Holds `burst` tokens and gets `per_second` new ones; each request takes one, and a request that
/// finds none has a place in the queue. One thread at a time.
///     10 per second, burst 2, five at once  ->  0, 0, 100, 200, 300 ms
class TokenBucket {
public:
    /// No more than 0 per second: no request waits.
    TokenBucket(double per_second, double burst) noexcept
        : per_second_(per_second), burst_(burst), tokens_(burst) {}

    /// How long the caller waits from `now`, which never steps back.
    Duration take(Duration now) noexcept;
    /// For a request that waits no longer: later ones wait less.
    void give_back() noexcept;

private:
    double per_second_;
    double burst_;
    double tokens_;  ///< less than 0: so many wait
    Duration filled_{};
};

}  // namespace capstan::kubernetes::client
