/// Who is inside an instance's hooks: one at a time or several, and nobody once it is closed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace capstan::runtime {

/// [any thread]
class HookGate {
public:
    enum class Entry { entered, closed, timed_out };
    using Deadline = std::chrono::steady_clock::time_point;

    /// Enters alone, or beside others who did not come alone; waits for that until `deadline`.
    Entry enter(bool alone, Deadline deadline);
    /// Enters alone if nobody is inside.
    bool try_enter_alone();
    void leave();
    /// Lets nobody in any more and calls `when_empty` once everybody has left: at once, or on the
    /// thread of the last.
    void close(std::function<void()> when_empty);
    std::size_t inside() const;

private:
    bool is_free_for(bool alone) const { return inside_ == 0 || (!alone && !alone_); }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t inside_ = 0;
    bool alone_ = false;
    bool closed_ = false;
    std::function<void()> when_empty_;
};

}  // namespace capstan::runtime
