#include "plugin_runtime/loop/blocking_pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace capstan::plugin_runtime::loop {

/// Shared with the threads, which may outlive the pool.
struct BlockingPool::State {
    explicit State(Limits of) : limits(of), inside(of.threads, false) {}

    const Limits limits;
    std::mutex mutex;  ///< guards what follows
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    std::size_t accepted = 0;  ///< queued or under way
    std::vector<bool> inside;  ///< by thread: a function is under way
    bool closing = false;

    void serve(std::size_t me) {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return closing || !queue.empty(); });
            if (closing) return;
            std::function<void()> work = std::move(queue.front());
            queue.pop_front();
            inside[me] = true;
            lock.unlock();
            work();
            work = nullptr;  // may own the pool; its destructor needs the lock
            lock.lock();
            inside[me] = false;
            --accepted;
        }
    }
};

BlockingPool::BlockingPool(Limits limits) : state_(std::make_shared<State>(limits)) {}

BlockingPool::~BlockingPool() {
    std::deque<std::function<void()>> dropped;
    std::vector<bool> inside;
    {
        const std::lock_guard lock(state_->mutex);
        state_->closing = true;
        dropped.swap(state_->queue);
        inside = state_->inside;
    }
    state_->changed.notify_all();
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (inside[i]) {
            threads_[i].detach();
        } else {
            threads_[i].join();
        }
    }
}

bool BlockingPool::submit(std::function<void()> work) {
    const std::lock_guard lock(state_->mutex);
    if (state_->accepted >= state_->limits.threads + state_->limits.queue) return false;
    if (state_->accepted >= threads_.size() && threads_.size() < state_->limits.threads) {
        threads_.emplace_back([state = state_, me = threads_.size()] { state->serve(me); });
    }
    ++state_->accepted;
    state_->queue.push_back(std::move(work));
    state_->changed.notify_one();
    return true;
}

}  // namespace capstan::plugin_runtime::loop
