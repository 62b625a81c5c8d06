/// A token bucket: the client's rate limit.
#pragma once

#include <algorithm>
#include <chrono>

#include <capstan/time.hpp>

namespace capstan::kubernetes::client {

/// Holds at most `burst` tokens and gains `per_second` tokens per second. Each request takes one
/// token. The number of tokens may fall below zero: the request then waits until its token exists,
/// behind the requests before it. One thread at a time.
///     10 per second, burst 2, five at once  ->  0, 0, 100, 200, 300 ms
class TokenBucket {
public:
    /// `per_second` of 0 or less: no request waits.
    TokenBucket(double per_second, double burst) noexcept
        : per_second_(per_second), burst_(burst), tokens_(burst) {}

    /// How long the caller waits from `now`, which never steps back.
    Duration take(Duration now) noexcept {
        using Seconds = std::chrono::duration<double>;
        if (per_second_ <= 0) return Duration::zero();
        tokens_ = std::min(burst_, tokens_ + Seconds(now - filled_).count() * per_second_);
        filled_ = now;
        tokens_ -= 1;
        if (tokens_ >= 0) return Duration::zero();
        return std::chrono::ceil<Duration>(Seconds(-tokens_ / per_second_));
    }
    /// Returns the token of a request that was cancelled while it waited. Later requests wait less.
    void give_back() noexcept { tokens_ = std::min(burst_, tokens_ + 1); }

private:
    double per_second_;
    double burst_;
    double tokens_;  ///< below 0: how many requests wait
    Duration filled_{};
};

}  // namespace capstan::kubernetes::client
