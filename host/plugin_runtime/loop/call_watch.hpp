/// Which call into a plugin an instance's thread is inside, and for how long. Other threads can ask
/// while the call lasts.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::plugin_runtime::loop {

/// A call into a plugin that has not returned.
struct HeldCall {
    std::string plugin{};
    std::string kind{};  ///< of the plugin's class: "capstan.cloud/1"
    Hook hook{};
    Duration lasts{};  ///< in real time

    /// "plugin aws: refresh has blocked its thread for 12s".
    std::string sentence() const;
    friend bool operator==(const HeldCall&, const HeldCall&) = default;
};

/// The calls of one instance's thread. [any thread]
class CallWatch {
public:
    struct Options {
        std::string plugin{};
        std::string kind{};
        Duration stuck_after = std::chrono::seconds(5);
    };
    explicit CallWatch(Options options) : options_(std::move(options)) {}

    /// The call under way, if it has lasted for `at_least`.
    std::optional<HeldCall> held(Duration at_least) const;
    /// The call under way, if it has lasted for `stuck_after`. Until it returns, the instance gets
    /// no other call.
    std::optional<HeldCall> stuck() const { return held(options_.stuck_after); }

private:
    friend class StrandCall;
    const Options options_;
    std::atomic<Hook> hook_{};
    std::atomic<Duration::rep> since_{0};  ///< on the machine's monotonic clock; 0: no call
};

/// Marks one call on the instance's thread during its own life: for the watch, and as a CallMarker.
class StrandCall {
public:
    StrandCall(CallWatch& watch, CallMarkers& markers, Hook hook);
    StrandCall(const StrandCall&) = delete;
    StrandCall& operator=(const StrandCall&) = delete;
    ~StrandCall();

private:
    CallWatch& watch_;
    const CallMarker marker_;
};

/// The watches of all instances of a host. [any thread]
class CallWatches {
public:
    explicit CallWatches(Duration stuck_after) : stuck_after_(stuck_after) {}

    std::shared_ptr<CallWatch> add(std::string plugin, std::string kind);
    std::vector<HeldCall> held(Duration at_least) const;
    std::vector<HeldCall> stuck() const { return held(stuck_after_); }

private:
    const Duration stuck_after_;
    mutable std::mutex mutex_;
    std::vector<std::weak_ptr<CallWatch>> all_;
};

}  // namespace capstan::plugin_runtime::loop
