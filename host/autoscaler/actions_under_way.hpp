/// Actions that clouds have not answered in the time that a pass waits for them, and the value
/// through which a pass waits for the result of another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "autoscaler/plugin_host.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace capstan::autoscaler {

/// A value that one thread puts and another one takes. A wait that timed out may be repeated. Both
/// threads share ownership of it: the value may come when no thread waits for it any more.
template <class T>
class Awaited {
public:
    /// Once. [any thread]
    void put(T value) {
        std::function<void()> waiting;
        {
            const std::lock_guard lock(mutex_);
            value_ = std::move(value);
            waiting = std::exchange(waiting_, nullptr);
        }
        if (waiting) waiting();
    }
    /// Whether the value is there within `patience`. On virtual time the clock goes from timer to
    /// timer until the value is there or `patience` is over. [one thread]
    bool wait(PluginHost& host, Duration patience) {
        const Duration end = host.loop().monotonic() + patience;
        const auto there = host.wait<void>(
            [this](const PluginHost::Done<void>& done) {
                {
                    const std::lock_guard lock(mutex_);
                    if (!value_) {
                        waiting_ = [done] { done({}); };
                        return;
                    }
                }
                done({});
            },
            patience);
        if (there) return true;
        const Duration rest = end - host.loop().monotonic();
        if (host.virtual_loop() != nullptr && rest > Duration(0))
            host.virtual_loop()->advance(rest);
        const std::lock_guard lock(mutex_);
        waiting_ = nullptr;
        return value_.has_value();
    }
    /// Once, after `wait` has returned true.
    T take() {
        const std::lock_guard lock(mutex_);
        auto value = std::exchange(value_, std::nullopt);
        CAPSTAN_ASSERT(value, "a value is taken twice, or before it was put");
        return *std::move(value);
    }

private:
    std::mutex mutex_;
    std::optional<T> value_;
    std::function<void()> waiting_;
};

// An action that its cloud has not answered in the time that a pass waits goes on while later
// passes run. It counts as requested, and a later pass remembers its result.

/// The provider_code of the result of such an action. The code of that result is `cancelled`: the
/// pass has ended its wait, and whether the action was carried out is not known.
inline constexpr std::string_view under_way = "UnderWay";
bool is_under_way(const Error& error) noexcept;

/// [any thread]
class ActionsUnderWay {
public:
    /// One action, and what came of it. engine::remember_results takes `decision` and `results`.
    struct Ended {
        engine::Decision decision{};
        engine::Results results{};
        std::string sentence{};  ///< "increase web by 3 has ended"
    };
    using Key = std::uint64_t;

    /// `action`: "increase web by 3 has had no response since 2026-11-24T05:00:00Z".
    Key begin(const NodeGroupId& group, std::string action);
    void end(Key key, Ended ended);
    /// `on_end` is called at the end of each action, by the thread that calls `end`.
    void set_on_end(std::function<void()> on_end);

    /// The groups with an open action, each with the text that `begin` was given. Passes treat them
    /// as unreadable.
    std::map<NodeGroupId, std::string> groups() const;
    /// The actions that have ended since the last call.
    std::vector<Ended> take_ended();

private:
    struct Open {
        NodeGroupId group{};
        std::string action{};
    };
    mutable std::mutex mutex_;
    std::map<Key, Open> open_;
    std::vector<Ended> ended_;
    std::function<void()> on_end_;
    Key last_ = 0;
};

/// `groups`, in which the groups of `reasons` are unreadable for that reason. Without reasons it is
/// the same list. A group that was unreadable before keeps its own reason.
std::shared_ptr<const std::vector<engine::Group>> with_unreadable_groups(
    std::shared_ptr<const std::vector<engine::Group>> groups,
    const std::map<NodeGroupId, std::string>& reasons);

}  // namespace capstan::autoscaler
