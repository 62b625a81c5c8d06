#include "kubernetes/client/watch/watch_silence.hpp"

#include <utility>

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration watch_limit = 2min + 5s;

}  // namespace

void WatchSilence::begin(Duration limit) {
    end();
    limit_ = limit;
    is_watch_ = false;
    heard_ = loop_.monotonic();
    set_timer();
}

void WatchSilence::begin_watch() {
    begin(watch_limit);
    is_watch_ = true;
}

void WatchSilence::end() {
    if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
    present_.reset();
}

void WatchSilence::set_timer() {
    present_ = std::make_shared<char>();
    timer_ = loop_.at(heard_ + limit_, [this, here = std::weak_ptr(present_)] {
        if (!here.expired()) look();
    });
}

void WatchSilence::look() {
    timer_.reset();
    if (loop_.monotonic() < heard_ + limit_) return set_timer();
    end();
    const bool is_quiet = is_watch_ && !std::exchange(expects_bookmarks_, false);
    on_silence_(is_quiet ? Meaning::quiet : Meaning::stalled);
}

}  // namespace capstan::kubernetes
