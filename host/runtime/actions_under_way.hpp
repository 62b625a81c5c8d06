/// A value that comes from another thread, waited for more than once.
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

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime {

/// To be shared by both sides: the value may come when nothing waits for it any more.
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
    /// Whether it is there within `patience`; on virtual time the clock goes on until then, or from
    /// timer to timer where there is no end to it. [one thread]
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
    /// Once it is there.
    T take() {
        const std::lock_guard lock(mutex_);
        return *std::exchange(value_, std::nullopt);
    }

private:
    std::mutex mutex_;
    std::optional<T> value_;
    std::function<void()> waiting_;
};

// What clouds were asked for and have not answered in the time that a pass waits: it goes on
// beside the passes, counts as asked for, and what comes of it is remembered by a later one.

/// The provider_code of the result of such an action; its code is `cancelled`, since no pass waits
/// for it now, and whether it is done is not known.
inline constexpr std::string_view under_way = "UnderWay";
bool is_under_way(const Error& error) noexcept;

/// [any thread]
class ActionsUnderWay {
public:
    /// One action, and what came of it: engine::remember_results takes both.
    struct Ended {
        engine::Decision decision{};
        engine::Results results{};
        std::string told{};  ///< "increase web by 3 was answered after all"
    };
    using Key = std::uint64_t;

    /// `action`: "increase web by 3 has not been answered since 2026-11-24T05:00:00Z".
    Key begin(const NodeGroupId& group, std::string action);
    void end(Key key, Ended ended);
    /// Called when one ends, by the thread that ends it.
    void set_on_end(std::function<void()> on_end);

    /// Groups that are not to be touched until their actions have ended, and why.
    std::map<NodeGroupId, std::string> groups() const;
    /// What has ended since the last call.
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

/// `groups`, where those of `reasons` are unreadable for that reason; the same list without any.
std::shared_ptr<const std::vector<engine::Group>> with_untouched_groups(
    std::shared_ptr<const std::vector<engine::Group>> groups,
    const std::map<NodeGroupId, std::string>& reasons);

}  // namespace capstan::runtime
