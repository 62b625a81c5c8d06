/// When nothing has come for too long in a request that goes on.
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

/// Guards one request after the other. A server sends bookmarks once a minute, so 75 s without any
/// byte mean a connection that died unnoticed, wherever one has ever come: a proxy may answer the
/// next watch and bring nothing of it either. Where none has come, two minutes mean that, or a
/// server that sends none and had nothing to say: asking again tells which, and costs next to
/// nothing. Used on the loop's thread alone.
class WatchSilence {
public:
    enum class Meaning : std::uint8_t {
        stalled,  ///< something was to come
        quiet,    ///< nothing had to: no bookmark has ever come
    };
    using OnSilence = std::function<void(Meaning)>;

    /// Borrows the loop. The guard has ended when `on_silence` is called, which may begin another.
    WatchSilence(io::Loop& loop, OnSilence on_silence)
        : loop_(loop), on_silence_(std::move(on_silence)) {}
    WatchSilence(const WatchSilence&) = delete;
    WatchSilence& operator=(const WatchSilence&) = delete;
    ~WatchSilence() { end(); }

    /// A request begins that has stalled after `limit` without a byte.
    void begin(Duration limit);
    /// A watch begins, or what has begun goes on as one.
    void begin_watch();
    void hear() { heard_ = loop_.monotonic(); }
    /// This server sends them, in the watches that follow, too.
    void expect_bookmarks();
    /// Nothing is told any more.
    void end();
    /// When something came last, or the request began.
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
    /// Expires with the guard: a timer that is about to fire cannot be cancelled any more.
    std::shared_ptr<char> present_{};
};

// What the error of a request means for a watch of a kind.

enum class WatchError : std::uint8_t {
    busy,       ///< the same again later: too many requests, no connection, no valid token
    failing,    ///< the server failed inside: the same again for a while
    expired,    ///< the version asked for is no longer kept
    too_large,  ///< the version asked for is newer than all the server has
    refused,    ///< it does not do that
    forbidden,
    absent,   ///< has no such kind
    broken,   ///< what came is not what was asked for
    stalled,  ///< nothing came
};

/// The server is well, and another list tells what is wanted.
constexpr bool is_outdated(WatchError what) noexcept {
    return what == WatchError::expired || what == WatchError::too_large;
}

/// Of an error as Api gives it.
WatchError setback_of(const Error& error) noexcept;

/// The object of an ERROR in a watch, as Api would tell it. `what` was done.
Error error_of_event(std::string_view what, const boost::json::value& object);

}  // namespace capstan::kubernetes::client
