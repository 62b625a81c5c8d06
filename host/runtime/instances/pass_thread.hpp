/// The thread that passes are run on, one after the other.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace capstan::runtime::instances {

/// Begun with the first task, and kept for the next one. Used by one thread at a time.
class PassThread {
public:
    using RealTime = std::chrono::steady_clock::time_point;
    using Task = std::function<void()>;

    PassThread() = default;
    PassThread(const PassThread&) = delete;
    PassThread& operator=(const PassThread&) = delete;
    /// No task is under way.
    ~PassThread();

    /// After the last task has ended, or was left to itself. The task must not throw;
    /// std::system_error comes of it where no thread is to be had.
    void start(Task task);
    /// Until the task has ended and nothing of it is left; false: that takes longer than `until`.
    bool wait(RealTime until);
    /// Leaves the task to itself: its thread ends with it, however late, and the next task gets
    /// another one.
    void abandon();

private:
    struct Worker;
    std::shared_ptr<Worker> desk_{};  ///< NULL: there is no thread
};

}  // namespace capstan::runtime::instances
