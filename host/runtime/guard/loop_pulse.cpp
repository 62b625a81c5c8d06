#include "runtime/guard/loop_pulse.hpp"

#include <algorithm>

#include <boost/asio/post.hpp>

namespace capstan::runtime::guard {

void LoopPulse::watch(boost::asio::io_context& io) {
    const std::lock_guard lock(mutex_);
    io_ = &io;
    has_answered_.reset();
    silent_for_ = {};
}

void LoopPulse::unwatch() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
    has_answered_.reset();
    silent_for_ = {};
}

Duration LoopPulse::beat(Duration passed, Duration period) {
    const std::lock_guard lock(mutex_);
    if (io_ == nullptr) return {};
    if (has_answered_ && !has_answered_->load()) {
        silent_for_ += std::min(passed, 2 * period);
        return silent_for_;
    }
    silent_for_ = {};
    has_answered_ = std::make_shared<std::atomic<bool>>(false);
    boost::asio::post(*io_, [answer = has_answered_] { answer->store(true); });
    return {};
}

}  // namespace capstan::runtime::guard
