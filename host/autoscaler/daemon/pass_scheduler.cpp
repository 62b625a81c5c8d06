#include "autoscaler/daemon/pass_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace capstan::autoscaler::daemon {

PassScheduler::~PassScheduler() {
    if (timer_) loop_.cancel(*timer_);
}

void PassScheduler::next(bool wants_passes, std::optional<Time> wake_at, Done done) {
    wants_passes_ = wants_passes;
    wake_at_.reset();
    if (wake_at) wake_at_ = loop_.monotonic() + (*wake_at - loop_.clock()->now());
    done_ = std::move(done);
    look();
}

void PassScheduler::on_pods_changed() {
    if (!seen_pods_) seen_pods_ = loop_.monotonic();
    look();
}

bool PassScheduler::want_pass() {
    if (std::exchange(is_requested_, true)) return false;
    look();
    return true;
}

void PassScheduler::interrupt() {
    is_interrupted_ = true;
    look();
}

void PassScheduler::set_interval(Duration interval) {
    options_.interval = interval;
    look();
}

/// When the next pass begins; absent: there is none.
std::optional<Duration> PassScheduler::due() const {
    if (!wants_passes_) return std::nullopt;
    if (!began_) return loop_.monotonic();
    Duration out = *began_ + options_.interval;
    if (wake_at_) out = std::min(out, *wake_at_);
    if (seen_pods_) out = std::min(out, *seen_pods_ + options_.gather);
    if (is_requested_)
        out = std::min(
            out, request_served_ ? *request_served_ + options_.request_pause : Duration::zero());
    return std::max(out, *began_ + std::min(options_.pause, options_.interval));
}

void PassScheduler::look() {
    if (timer_) loop_.cancel(*timer_);
    timer_.reset();
    if (!done_) return;
    const std::optional<Duration> at = due();
    // First, for interruptions may come without end.
    if (at && *at <= loop_.monotonic()) return finish(Next::pass);
    if (is_interrupted_) return finish(Next::other);
    if (!at) return;
    timer_ = loop_.at(*at, [this] {
        timer_.reset();
        look();
    });
}

void PassScheduler::finish(Next next) {
    is_interrupted_ = false;
    if (next == Next::pass) {
        began_ = loop_.monotonic();
        seen_pods_.reset();
        if (std::exchange(is_requested_, false)) request_served_ = began_;
    }
    std::exchange(done_, nullptr)(next);
}

}  // namespace capstan::autoscaler::daemon
