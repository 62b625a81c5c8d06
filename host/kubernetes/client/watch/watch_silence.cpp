#include "kubernetes/client/watch/watch_silence.hpp"

#include <utility>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration limit_with_bookmarks = 75s;
constexpr Duration limit_without_bookmarks = 2min + 5s;

}  // namespace

void WatchSilence::begin(Duration limit) {
    limit_ = limit;
    is_watch_ = false;
    heard_ = loop_.monotonic();
    set_timer();
}

void WatchSilence::begin_watch() {
    is_watch_ = true;
    heard_ = loop_.monotonic();
    set_timer();
}

void WatchSilence::expect_bookmarks() {
    if (!std::exchange(expects_bookmarks_, true) && timer_) set_timer();
}

Duration WatchSilence::limit() const noexcept {
    if (!is_watch_) return limit_;
    return expects_bookmarks_ ? limit_with_bookmarks : limit_without_bookmarks;
}

void WatchSilence::end() {
    if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
    present_.reset();
}

void WatchSilence::set_timer() {
    if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
    present_ = std::make_shared<char>();
    timer_ = loop_.at(heard_ + limit(), [this, here = std::weak_ptr(present_)] {
        if (!here.expired()) look();
    });
}

void WatchSilence::look() {
    timer_.reset();
    if (loop_.monotonic() < heard_ + limit()) return set_timer();
    end();
    on_silence_(is_watch_ && !expects_bookmarks_ ? Meaning::quiet : Meaning::stalled);
}

}  // namespace capstan::kubernetes
