/// What the strand writes and hooks read on other threads.
///
///     Published<Prices> prices_;
///     prices_.publish(co_await read_prices());                          // refresh, on the strand
///     const std::shared_ptr<const Prices> prices = prices_.read();      // price, on any thread
///     if (!prices) return fail(ErrorCode::unsupported, "no prices yet");
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [any] The last value that was published, whole: what was read before stays as it was. A read
/// waits for no writer longer than a pointer takes.
template <class T>
class Published {
public:
    Published() = default;
    explicit Published(T value) { publish(std::move(value)); }

    /// The earlier value is freed here, or with the last reader of it.
    void publish(T value) {
        auto next = std::make_shared<const T>(std::move(value));
        const std::lock_guard lock(mutex_);
        value_.swap(next);
    }
    /// NULL: nothing was published yet.
    std::shared_ptr<const T> read() const noexcept {
        const std::lock_guard lock(mutex_);
        return value_;
    }

private:
    // Not std::atomic<std::shared_ptr>: libc++ has none.
    mutable std::mutex mutex_{};
    std::shared_ptr<const T> value_{};
};

CAPSTAN_NAMESPACE_END
