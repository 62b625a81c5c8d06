/// Classes of errors of a watch, and the detection of stalled watches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/error.hpp>

#include "io/loop.hpp"

namespace capstan::kubernetes::client {

/// Detects that a request receives nothing for too long. A connection may die without a sign, and a
/// watch without events looks the same; bookmarks tell them apart. A server that sends bookmarks
/// sends one a minute, so 75 s without any byte mean a dead connection. Once a bookmark has come,
/// this limit is kept for all later watches: a proxy may answer the next watch and then pass on
/// nothing. If no bookmark has ever come, about two minutes of silence may have either cause, and
/// opening the watch again is cheap. Guards one request at a time. Used on the loop's thread alone.
class WatchSilence {
public:
    enum class Meaning : std::uint8_t {
        stalled,  ///< a bookmark or a reply is overdue
        quiet,    ///< nothing is overdue, because no bookmark has ever come
    };
    using OnSilence = std::function<void(Meaning)>;

    /// Borrows the loop. The guard ends before `on_silence` is called, which may begin another.
    WatchSilence(io::Loop& loop, OnSilence on_silence)
        : loop_(loop), on_silence_(std::move(on_silence)) {}
    WatchSilence(const WatchSilence&) = delete;
    WatchSilence& operator=(const WatchSilence&) = delete;
    ~WatchSilence() { end(); }

    /// Guards a request that counts as stalled after `limit` without a byte.
    void begin(Duration limit);
    /// Guards a watch, or a streaming list that has become a watch.
    void begin_watch();
    /// A byte has come.
    void mark_alive() { heard_ = loop_.monotonic(); }
    /// This server sends bookmarks. Holds for all later watches.
    void expect_bookmarks();
    /// Ends the guard; `on_silence` is not called.
    void end();
    /// When the last byte came, or else when the request began.
    Duration heard() const noexcept { return heard_; }

private:
    Duration limit() const noexcept;
    void set_timer();
    void look();

    io::Loop& loop_;
    const OnSilence on_silence_;
    Duration limit_{}, heard_{};
    bool is_watch_ = false, expects_bookmarks_ = false;
    std::optional<io::TimerId> timer_{};
    /// Reset with the guard. The timer's handler holds a weak_ptr to it, because a timer that is
    /// about to fire cannot be cancelled any more.
    std::shared_ptr<char> alive_{};
};

/// What the error of a list or watch means for the reflector.
enum class WatchError : std::uint8_t {
    busy,       ///< too many requests, no connection, no valid token: the same request later
    failing,    ///< an internal error of the server: the same request for a while
    expired,    ///< the server no longer has the version asked for
    too_large,  ///< the version asked for is newer than the server's newest
    refused,    ///< the server does not support the request
    forbidden,
    absent,   ///< the server does not have the kind
    broken,   ///< the reply is malformed, or beyond a limit
    stalled,  ///< nothing came for too long
};

/// Whether only the version is wrong: the server works, and a new list is the remedy.
constexpr bool is_outdated(WatchError what) noexcept {
    return what == WatchError::expired || what == WatchError::too_large;
}

/// Classifies an error of Api, or of error_of_event().
WatchError classify_watch_error(const Error& error) noexcept;

/// The object of an ERROR event as an error like Api's. `what` is the request, for the message.
Error error_of_event(std::string_view what, const boost::json::value& object);

}  // namespace capstan::kubernetes::client
