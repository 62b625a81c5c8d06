/// Objects that a controller is to look at: each once, however many reasons there are.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "io/loop.hpp"

namespace capstan::simulation::control_plane {

/// A turn of the loop takes some keys and leaves the rest to the next one, so that others come in
/// between. Nothing is called once it is gone. [the loop's thread]
class ReconcileQueue {
public:
    using Reconcile = std::function<void(const std::string& key)>;
    static constexpr std::size_t keys_per_turn = 32;

    /// Borrows `loop`. `reconcile` is called by the loop, never inside a call from here.
    ReconcileQueue(io::Loop& loop, Reconcile reconcile);
    ReconcileQueue(const ReconcileQueue&) = delete;
    ReconcileQueue& operator=(const ReconcileQueue&) = delete;
    ~ReconcileQueue();

    void add(const std::string& key);
    /// Not before `delay` is over; of several such requests the earliest counts. One that is not in
    /// the future is as good as add().
    void add_after(const std::string& key, Duration delay);
    std::size_t size() const noexcept { return waiting_.size(); }

private:
    struct NextChange {
        Duration due{};
        io::TimerId timer = 0;
    };
    void wake();
    void turn();

    io::Loop& loop_;
    Reconcile reconcile_;
    std::deque<std::string> order_;
    std::set<std::string> waiting_;
    std::map<std::string, NextChange> alarms_;
    bool is_awake_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace capstan::simulation::control_plane
