/// What calls that do not return mean for the daemon: a metric, and whether this host should lead.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "io/loop.hpp"
#include "runtime/loop/call_watch.hpp"

namespace capstan::runtime::daemon {

/// Another replica may do better than a leader whose cloud, or plugin that decides, does not
/// return. It is given the Lease once per ten minutes at most: where all are alike, passes go on
/// here. Used on the loop's thread alone.
class StuckCalls {
public:
    struct Options {
        Duration hand_over_after = std::chrono::minutes(1);
        /// A controller's call counts, too: nothing else acts.
        bool is_of_controllers = false;
        /// Hands the Lease over; the sentence says why. False: this host has none.
        std::function<bool(const std::string& because)> hand_over{};
        /// No call is stuck for so long any more.
        std::function<void()> come_back{};
    };
    /// Borrows `loop` and `registry`.
    StuckCalls(io::Loop& loop, prometheus::Registry& registry, Options options);
    StuckCalls(const StuckCalls&) = delete;
    StuckCalls& operator=(const StuckCalls&) = delete;
    ~StuckCalls();

    /// Looks at them once a second from now on. Borrowed.
    void watch(const loop::CallWatches& calls);
    /// `stuck`: all calls that are stuck now.
    void look(const std::vector<loop::HeldCall>& stuck);

private:
    using Key = std::pair<std::string, loop::Hook>;
    bool counts(const loop::HeldCall& call) const;
    void show(const std::vector<loop::HeldCall>& stuck);
    void decide(const std::vector<loop::HeldCall>& stuck);

    io::Loop& loop_;
    prometheus::Family<prometheus::Gauge>& seconds_;
    const Options options_;
    std::map<Key, prometheus::Gauge*> observable_{};
    std::optional<Duration> handed_over_at_{};
    bool is_back_ = true;
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::runtime::daemon
