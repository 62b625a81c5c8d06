/// What the passes' thread does next, and when.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "io/loop.hpp"
#include "runtime/services/pending_requests.hpp"

namespace capstan::runtime::daemon {

/// Passes come one after the other: the next begins an interval after the last one began, earlier
/// when that one asked for it or a cloud wants it, or shortly after pods were found that have no
/// node. Several such pods often come together, so the first one waits for a moment, and however
/// many come, there is a pause between two passes. Used on the loop's thread alone.
class PassScheduler {
public:
    struct Options {
        Duration interval = std::chrono::seconds(10);      ///< from begin to begin
        Duration gather = std::chrono::milliseconds(100);  ///< from the first pod that waits
        Duration pause = std::chrono::milliseconds(500);   ///< at least, from begin to begin
        Duration request_pause =
            services::pass_request_pause;  ///< between two passes that begin by `want_pass`
    };
    enum class Next {
        pass,   ///< and what was interrupted for, before it
        other,  ///< see interrupt()
    };
    using Done = std::function<void(Next)>;

    /// Borrows the loop.
    PassScheduler(io::Loop& loop, Options options) : loop_(loop), options_(options) {}
    PassScheduler(const PassScheduler&) = delete;
    PassScheduler& operator=(const PassScheduler&) = delete;
    /// A callback that waits is never called.
    ~PassScheduler();

    /// Waits for the next thing to do; one at a time. `wants_passes` false: only for interruptions.
    /// `wake_at`: when the last pass asked for the next one.
    void next(bool wants_passes, std::optional<Time> wake_at, Done done);
    /// Pods without a node were seen.
    void see_pods();
    /// A cloud has answered that the last pass went on without.
    void see_clouds() { see_pods(); }
    /// A cloud wants the next pass to begin soon. False: it does already.
    bool want_pass();
    /// Something else than a pass is to be done; kept until next() has answered. A pass that is due
    /// is not put off by it.
    void interrupt();
    void set_interval(Duration interval);

private:
    std::optional<Duration> due() const;
    void look();
    void finish(Next next);

    io::Loop& loop_;
    Options options_;
    std::optional<Duration> began_{};         ///< the last pass
    std::optional<Duration> seen_pods_{};     ///< the first of those that wait for a pass
    bool is_wanted_ = false;                  ///< by a cloud
    std::optional<Duration> wish_granted_{};  ///< when a pass began that a cloud wanted
    bool is_interrupted_ = false;
    bool wants_passes_ = false;
    std::optional<Duration> wanted_{};  ///< by the last pass
    Done done_{};
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::runtime::daemon
