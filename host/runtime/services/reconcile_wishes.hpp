/// Where a controller's wishes to be called arrive, behind capstan.reconcile/1.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <capstan/time.hpp>

namespace capstan::runtime {

/// Drops what nobody listens to: the first reconcile comes unasked. [any thread]
class ReconcileWishes {
public:
    using Listener = std::function<void(Duration within)>;

    /// Called inside `want`; NULL: nobody listens.
    void listen(Listener listener) {
        const std::lock_guard lock(mutex_);
        listener_ = std::move(listener);
    }
    void want(Duration within) const {
        Listener listener;
        {
            const std::lock_guard lock(mutex_);
            listener = listener_;
        }
        if (listener) listener(within);
    }

private:
    mutable std::mutex mutex_;
    Listener listener_;
};

}  // namespace capstan::runtime
