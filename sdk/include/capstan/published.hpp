/// A value that the strand writes and hooks on other threads read.
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

/// [any] The last published value. Values that were read before do not change. A read waits for a
/// writer only while it swaps a pointer.
template <class T>
class Published {
public:
    Published() = default;
    explicit Published(T value) { publish(std::move(value)); }

    /// The previous value is freed here, or by its last reader.
    void publish(T value) {
        auto next = std::make_shared<const T>(std::move(value));
        const std::lock_guard lock(mutex_);
        value_.swap(next);
    }
    /// NULL: nothing has been published.
    std::shared_ptr<const T> read() const noexcept {
        const std::lock_guard lock(mutex_);
        return value_;
    }

private:
    // Not std::atomic<std::shared_ptr>, which libc++ lacks.
    mutable std::mutex mutex_{};
    std::shared_ptr<const T> value_{};
};

CAPSTAN_NAMESPACE_END
