#include "simulator/control_plane/context/reconcile_queue.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace capstan::simulator::control_plane {

ReconcileQueue::ReconcileQueue(io::Loop& loop, Reconcile reconcile)
    : loop_(loop), reconcile_(std::move(reconcile)) {}

ReconcileQueue::~ReconcileQueue() {
    for (const auto& [key, delayed] : timers_) loop_.cancel(delayed.timer);
}

void ReconcileQueue::add(const std::string& key) {
    if (!waiting_.insert(key).second) return;
    order_.push_back(key);
    wake();
}

void ReconcileQueue::add_after(const std::string& key, Duration delay) {
    if (delay <= Duration::zero()) return add(key);
    const Duration due = loop_.monotonic() + delay;
    const auto [delayed, is_new] = timers_.try_emplace(key);
    if (!is_new && delayed->second.due <= due) return;
    if (!is_new) loop_.cancel(delayed->second.timer);
    delayed->second = {due, loop_.at(due, [this, key, alive = std::weak_ptr(alive_)] {
                           if (alive.expired()) return;
                           timers_.erase(key);
                           add(key);
                       })};
}

void ReconcileQueue::wake() {
    if (std::exchange(is_scheduled_, true)) return;
    boost::asio::post(loop_.io(), [this, alive = std::weak_ptr(alive_)] {
        if (!alive.expired()) turn();
    });
}

void ReconcileQueue::turn() {
    is_scheduled_ = false;
    for (std::size_t i = 0; i < keys_per_turn && !order_.empty(); ++i) {
        const std::string key = std::move(order_.front());
        order_.pop_front();
        waiting_.erase(key);
        reconcile_(key);
    }
    if (!order_.empty()) wake();
}

}  // namespace capstan::simulator::control_plane
