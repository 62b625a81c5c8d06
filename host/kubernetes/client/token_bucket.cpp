#include "kubernetes/client/token_bucket.hpp"

#include <algorithm>
#include <chrono>

namespace capstan::kubernetes::client {

Duration TokenBucket::take(Duration now) noexcept {
    using Seconds = std::chrono::duration<double>;
    if (per_second_ <= 0) return Duration::zero();
    tokens_ = std::min(burst_, tokens_ + Seconds(now - filled_).count() * per_second_);
    filled_ = now;
    tokens_ -= 1;
    if (tokens_ >= 0) return Duration::zero();
    return std::chrono::ceil<Duration>(Seconds(-tokens_ / per_second_));
}

void TokenBucket::give_back() noexcept { tokens_ = std::min(burst_, tokens_ + 1); }

}  // namespace capstan::kubernetes::client
