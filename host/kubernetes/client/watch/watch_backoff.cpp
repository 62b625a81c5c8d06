#include "kubernetes/client/watch/watch_backoff.hpp"

#include <algorithm>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_step = 800ms;
constexpr Duration longest_step = 30s;
constexpr Duration healthy_after = 2min;
/// One for a watch that fell behind, one for a list that is asked for too late itself.
constexpr int quick_relists = 2;
constexpr Duration relists_counted_for = 1min;

}  // namespace

Duration with_jitter(io::RandomSource& random, Duration least, Duration spread) {
    const auto choices = static_cast<std::uint64_t>(spread.count()) + 1;
    return least + Duration(static_cast<Duration::rep>(random.next() % choices));
}

Duration WatchBackoff::next(Duration now) {
    const bool was_healthy = step_ && now - waited_until_ >= healthy_after;
    step_ = !step_ || was_healthy ? first_step : std::min(*step_ * 2, longest_step);
    const Duration wait = with_jitter(random_, *step_, *step_);
    waited_until_ = now + wait;
    return wait;
}

Duration WatchBackoff::next_relist(Duration now) {
    if (!first_relist_ || now - *first_relist_ >= relists_counted_for) {
        first_relist_ = now;
        relists_ = 0;
    }
    // By chance, for all kinds fall behind at the same time.
    return ++relists_ > quick_relists ? next(now) : with_jitter(random_, 0s, first_step);
}

}  // namespace capstan::kubernetes
