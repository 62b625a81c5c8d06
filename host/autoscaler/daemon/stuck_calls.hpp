/// Reacts to calls of plugins that do not return: sets a metric, and hands the Lease over.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "io/loop.hpp"
#include "plugin_runtime/loop/call_watch.hpp"

namespace capstan::autoscaler::daemon {

/// Another replica may be able to act while a call of this leader's cloud, or of a plugin that
/// decides, is stuck. The Lease is handed over once per ten minutes at most: if all replicas have
/// the problem, passes go on here. Used on the loop's thread alone.
class StuckCalls {
public:
    struct Options {
        Duration hand_over_after = std::chrono::minutes(1);
        /// A controller's call counts, too, because this host makes no passes.
        bool is_of_controllers = false;
        /// Hands the Lease over; `because` is the reason. False: this host holds no Lease.
        std::function<bool(const std::string& because)> hand_over{};
        /// Called after the Lease was handed over, when no such call has been stuck for
        /// `hand_over_after` any more.
        std::function<void()> come_back{};
    };
    /// Borrows `loop` and `registry`.
    StuckCalls(io::Loop& loop, prometheus::Registry& registry, Options options);
    StuckCalls(const StuckCalls&) = delete;
    StuckCalls& operator=(const StuckCalls&) = delete;
    ~StuckCalls();

    /// Checks the calls now and then once a second. `calls` is borrowed.
    void watch(const plugin_runtime::loop::CallWatches& calls);
    /// `stuck`: all calls that are stuck now.
    void look(const std::vector<plugin_runtime::loop::HeldCall>& stuck);

private:
    using Key = std::pair<std::string, plugin_runtime::loop::Hook>;
    bool counts(const plugin_runtime::loop::HeldCall& call) const;
    void update_gauges(const std::vector<plugin_runtime::loop::HeldCall>& stuck);
    void decide(const std::vector<plugin_runtime::loop::HeldCall>& stuck);

    io::Loop& loop_;
    prometheus::Family<prometheus::Gauge>& seconds_;
    const Options options_;
    std::map<Key, prometheus::Gauge*> gauges_{};
    std::optional<Duration> handed_over_at_{};
    bool is_back_ = true;
    std::optional<io::TimerId> timer_{};
};

}  // namespace capstan::autoscaler::daemon
