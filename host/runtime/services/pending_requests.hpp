/// Where plugins' requests to be called, or to have a pass made, arrive.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <capstan/time.hpp>

namespace capstan::runtime::services {

/// Drops a request while there is no listener. [any thread]
template <class Request>
class PendingRequests {
public:
    using Listener = std::function<void(const Request& wish)>;

    /// Called inside `want`; NULL: there is none any more.
    void listen(Listener listener) {
        const std::lock_guard lock(mutex_);
        listener_ = std::move(listener);
    }
    void want(const Request& wish) const {
        Listener listener;
        {
            const std::lock_guard lock(mutex_);
            listener = listener_;
        }
        if (listener) listener(wish);
    }

private:
    mutable std::mutex mutex_;
    Listener listener_;
};

/// A controller's, behind capstan.reconcile/1: within that time. The first reconcile comes unasked.
using ReconcileTrigger = PendingRequests<Duration>;

/// A cloud's, behind capstan.wake/1.
struct PassRequest {
    std::string plugin, why;
};
using PassRequests = PendingRequests<PassRequest>;

/// Between two passes that begin by such requests.
inline constexpr Duration pass_request_pause = std::chrono::seconds(5);

}  // namespace capstan::runtime::services
