/// The work queue of a controller: keys of objects that are to be reconciled, each at most once.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "io/loop.hpp"

namespace capstan::simulator::control_plane {

/// One handler of the loop reconciles some keys and leaves the rest to the next one, so that other
/// work of the loop comes in between. Nothing is called after the queue is destroyed. [the loop's
/// thread]
class ReconcileQueue {
public:
    using Reconcile = std::function<void(const std::string& key)>;
    static constexpr std::size_t keys_per_turn = 32;

    /// Borrows `loop`. `reconcile` is called by the loop, never inside a call of this class.
    ReconcileQueue(io::Loop& loop, Reconcile reconcile);
    ReconcileQueue(const ReconcileQueue&) = delete;
    ReconcileQueue& operator=(const ReconcileQueue&) = delete;
    ~ReconcileQueue();

    void add(const std::string& key);
    /// Adds the key after `delay`; of several delays of a key the one that ends first counts. A
    /// delay of zero or less is the same as add().
    void add_after(const std::string& key, Duration delay);
    std::size_t size() const noexcept { return waiting_.size(); }

private:
    struct DelayedKey {
        Duration due{};
        io::TimerId timer = 0;
    };
    void wake();
    void turn();

    io::Loop& loop_;
    Reconcile reconcile_;
    std::deque<std::string> order_;
    std::set<std::string> waiting_;
    std::map<std::string, DelayedKey> timers_;
    bool is_scheduled_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace capstan::simulator::control_plane
