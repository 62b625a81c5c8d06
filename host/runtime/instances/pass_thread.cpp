#include "runtime/instances/pass_thread.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace capstan::runtime::instances {

/// Where tasks are handed over; owned by both threads.
struct PassThread::Worker {
    std::mutex mutex{};
    std::condition_variable changed{};
    Task task{};  ///< empty: nothing is to be begun
    bool is_busy = false, is_closed = false;
    std::thread thread{};

    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return task || is_closed; });
            if (!task) return;
            Task current = std::exchange(task, nullptr);
            lock.unlock();
            current();
            // What it owns is destroyed before its end is reported.
            current = nullptr;
            lock.lock();
            is_busy = false;
            changed.notify_all();
        }
    }
    void close() {
        const std::lock_guard lock(mutex);
        is_closed = true;
        changed.notify_all();
    }
};

PassThread::~PassThread() {
    if (!desk_) return;
    desk_->close();
    desk_->thread.join();
}

void PassThread::start(Task task) {
    if (desk_ == nullptr) {
        const auto desk = std::make_shared<Worker>();
        desk->thread = std::thread([desk] { desk->work(); });
        desk_ = desk;  // only now: where there is no thread to be had, there is no desk either
    }
    const std::lock_guard lock(desk_->mutex);
    desk_->task = std::move(task);
    desk_->is_busy = true;
    desk_->changed.notify_all();
}

bool PassThread::wait(RealTime until) {
    std::unique_lock lock(desk_->mutex);
    return desk_->changed.wait_until(lock, until, [this] { return !desk_->is_busy; });
}

void PassThread::abandon() {
    desk_->thread.detach();
    std::exchange(desk_, nullptr)->close();
}

}  // namespace capstan::runtime::instances
