#include "kubernetes/client/watch/watch_backoff.hpp"

#include <algorithm>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration first_step = 800ms;
constexpr Duration longest_step = 30s;
constexpr Duration healthy_after = 2min;

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

}  // namespace capstan::kubernetes
