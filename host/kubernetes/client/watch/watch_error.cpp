#include "kubernetes/client/watch/watch_error.hpp"

#include <optional>
#include <string>
#include <utility>

#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
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
    alive_.reset();
}

void WatchSilence::set_timer() {
    if (const auto timer = std::exchange(timer_, std::nullopt)) loop_.cancel(*timer);
    alive_ = std::make_shared<char>();
    timer_ = loop_.at(heard_ + limit(), [this, weak = std::weak_ptr(alive_)] {
        if (!weak.expired()) look();
    });
}

void WatchSilence::look() {
    timer_.reset();
    if (loop_.monotonic() < heard_ + limit()) return set_timer();
    end();
    on_silence_(is_watch_ && !expects_bookmarks_ ? Meaning::quiet : Meaning::stalled);
}

namespace {

constexpr std::string_view internal_error = "InternalError";

}  // namespace

WatchError classify_watch_error(const Error& error) noexcept {
    // Recognized by its message, because other errors have its reason, Timeout, too.
    if (error.message.find("Too large resource version") != std::string::npos)
        return WatchError::too_large;
    switch (error.code) {
        case ErrorCode::conflict: return WatchError::expired;
        case ErrorCode::permission: return WatchError::forbidden;
        case ErrorCode::not_found: return WatchError::absent;
        case ErrorCode::invalid_argument:
        case ErrorCode::unsupported:
        case ErrorCode::quota: return WatchError::refused;
        case ErrorCode::internal: return WatchError::failing;
        case ErrorCode::unavailable:
            return error.provider_code == internal_error ? WatchError::failing : WatchError::busy;
        default: return WatchError::busy;
    }
}

Error error_of_event(std::string_view what, const boost::json::value& object) {
    const boost::json::object* members = object.if_object();
    const std::optional<ApiStatus> status =
        members != nullptr ? find_status(*members) : std::nullopt;
    if (!status)
        return {ErrorCode::unavailable, std::string(what) + ": ERROR event without a Status",
                std::string(internal_error)};
    Error out = error_of(what, *status);
    if (status->code == 500 && out.provider_code.empty()) out.provider_code = internal_error;
    return out;
}

}  // namespace capstan::kubernetes::client
