/// Which call an instance's thread is inside of, and for how long: told while it lasts.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/time.hpp>

#include "runtime/loop/breadcrumbs.hpp"

namespace capstan::runtime::loop {

/// A call into a plugin that has not returned.
struct HeldCall {
    std::string plugin{};
    std::string kind{};  ///< of the plugin's class: "capstan.cloud/1"
    Hook hook{};
    Duration lasts{};  ///< in real time

    /// "plugin aws: refresh has held its thread for 12 s".
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

    /// The call under way, if it has lasted so long.
    std::optional<HeldCall> held(Duration at_least) const;
    /// The call under way, if it has lasted longer than a call may: the instance gets no other.
    std::optional<HeldCall> stuck() const { return held(options_.stuck_after); }

private:
    friend class StrandCall;
    const Options options_;
    std::atomic<Hook> hook_{};
    std::atomic<Duration::rep> since_{0};  ///< of the machine's monotonic time; 0: none
};

/// Stands for one call on the instance's thread, for as long as it lasts; leaves a crumb, too.
class StrandCall {
public:
    StrandCall(CallWatch& watch, CallMarkers& trail, Hook hook);
    StrandCall(const StrandCall&) = delete;
    StrandCall& operator=(const StrandCall&) = delete;
    ~StrandCall();

private:
    CallWatch& watch_;
    const CallMarker marker_;
};

/// Those of all instances of a host. [any thread]
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

}  // namespace capstan::runtime::loop
