/// A value that comes from another thread, waited for more than once.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include <capstan/time.hpp>

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

}  // namespace capstan::runtime
