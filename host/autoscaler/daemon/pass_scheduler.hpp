/// Decides what the passes' thread does next, and when.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "io/loop.hpp"
#include "plugin_runtime/services/request_sink.hpp"

namespace capstan::autoscaler::daemon {

/// The next pass begins one interval after the last one began. It begins earlier when the last pass
/// asked for that, when a cloud asks for a pass, and shortly after pods without a node were found.
/// Such pods often come together, so the pass waits a moment for more of them, and there is always
/// a pause between two passes. Used on the loop's thread alone.
class PassScheduler {
public:
    struct Options {
        Duration interval = std::chrono::seconds(10);           ///< from begin to begin
        Duration gather = std::chrono::milliseconds(100);       ///< from the first pod that waits
        Duration pause = plugin_runtime::services::pass_pause;  ///< at least, from begin to begin
        Duration request_pause =
            plugin_runtime::services::pass_request_pause;  ///< between two passes that begin
                                                           ///< because of `want_pass`
    };
    enum class Next {
        pass,   ///< after the requests of interrupt()
        other,  ///< the requests of interrupt() alone
    };
    using Done = std::function<void(Next)>;

    /// Borrows the loop.
    PassScheduler(io::Loop& loop, Options options) : loop_(loop), options_(options) {}
    PassScheduler(const PassScheduler&) = delete;
    PassScheduler& operator=(const PassScheduler&) = delete;
    /// A callback that has not been called is dropped.
    ~PassScheduler();

    /// Calls `done` when there is something to do. Not to be called again before `done` was called.
    /// `wants_passes` false: only for interruptions. `wake_at`: when the last pass asked for the
    /// next one.
    void next(bool wants_passes, std::optional<Time> wake_at, Done done);
    /// Pods without a node were found.
    void on_pods_changed();
    /// A cloud has answered late: the last pass did not wait for it.
    void on_clouds_changed() { on_pods_changed(); }
    /// A cloud asks for a pass. False: one is requested already.
    bool want_pass();
    /// There is something else to do than a pass. Kept until the callback of next() is called. It
    /// does not delay a pass that is due.
    void interrupt();
    void set_interval(Duration interval);

private:
    std::optional<Duration> due() const;
    void look();
    void finish(Next next);

    io::Loop& loop_;
    Options options_;
    std::optional<Duration> began_{};           ///< when the last pass began
    std::optional<Duration> seen_pods_{};       ///< when the first of those pods was found
    bool is_requested_ = false;                 ///< a pass, by a cloud
    std::optional<Duration> request_served_{};  ///< when a requested pass began last
    bool is_interrupted_ = false;
    bool wants_passes_ = false;
    std::optional<Duration> wake_at_{};  ///< as the last pass asked for
    Done done_{};
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::autoscaler::daemon
