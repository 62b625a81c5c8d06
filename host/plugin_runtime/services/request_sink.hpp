/// Hands requests of plugins to the host: for a reconcile, and for a pass.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <capstan/time.hpp>

namespace capstan::plugin_runtime::services {

/// Calls its listener with each request. A request without a listener is dropped. [any thread]
template <class Request>
class RequestSink {
public:
    using Listener = std::function<void(const Request& request)>;

    /// `listener` is called inside `submit`. NULL: requests are dropped from now on.
    void listen(Listener listener) {
        const std::lock_guard lock(mutex_);
        listener_ = std::move(listener);
    }
    void submit(const Request& request) const {
        Listener listener;
        {
            const std::lock_guard lock(mutex_);
            listener = listener_;
        }
        if (listener) listener(request);
    }

private:
    mutable std::mutex mutex_;
    Listener listener_;
};

/// Behind capstan.reconcile/1: a controller asks to be called within that time. Its first reconcile
/// needs no request.
using ReconcileRequests = RequestSink<Duration>;

/// Behind capstan.wake/1: a cloud asks for a pass.
struct PassRequest {
    std::string plugin, why;
};
using PassRequests = RequestSink<PassRequest>;

/// The least time between the beginnings of two passes.
inline constexpr Duration pass_pause = std::chrono::milliseconds(500);
/// The least time between two passes that begin on such requests.
inline constexpr Duration pass_request_pause = std::chrono::seconds(5);

}  // namespace capstan::plugin_runtime::services
