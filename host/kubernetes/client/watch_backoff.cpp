#include "kubernetes/client/watch_backoff.hpp"

#include <algorithm>

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_step = 800ms;
constexpr Duration healthy_after = 2min;
/// One relist for a watch that fell behind, and one more for a list that expires itself.
constexpr int quick_relists = 2;
/// Servers behind a load balancer come back one after the other, each without the older versions.
constexpr int quick_relists_after_outage = 5;
constexpr Duration relists_counted_for = 1min;

}  // namespace

Duration with_jitter(io::RandomSource& random, Duration least, Duration spread) {
    const auto choices = static_cast<std::uint64_t>(spread.count()) + 1;
    return least + Duration(static_cast<Duration::rep>(random.next() % choices));
}

Duration WatchBackoff::next(Duration now) {
    const bool was_healthy = step_ && now - waited_until_ >= healthy_after;
    step_ = !step_ || was_healthy ? first_step : std::min(*step_ * 2, longest_step_);
    const Duration wait = with_jitter(random_, *step_, *step_);
    waited_until_ = now + wait;
    return wait;
}

std::optional<Duration> WatchBackoff::next_relist(Duration now, bool was_away) {
    if (!first_relist_ || now - *first_relist_ >= relists_counted_for) {
        first_relist_ = now;
        relists_ = 0;
    }
    if (++relists_ > (was_away ? quick_relists_after_outage : quick_relists)) return std::nullopt;
    // With jitter, because the watches of all kinds expire at the same time.
    return with_jitter(random_, 0s, first_step);
}

}  // namespace capstan::kubernetes::client
