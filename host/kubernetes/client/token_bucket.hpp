/// A token bucket: the client's rate limit.
#pragma once

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
    Duration take(Duration now) noexcept;
    /// Returns the token of a request that was cancelled while it waited. Later requests wait less.
    void give_back() noexcept;

private:
    double per_second_;
    double burst_;
    double tokens_;  ///< below 0: how many requests wait
    Duration filled_{};
};

}  // namespace capstan::kubernetes::client
