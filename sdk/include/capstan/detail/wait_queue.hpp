/// Coroutines of one instance that wait for each other. Internal to the SDK.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <string>
#include <type_traits>

#include <capstan/abi/services.h>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

class WaitQueue;

/// Each wait has a timer, and a host allows an instance about a thousand timers.
inline constexpr std::size_t longest_wait_queue = 512;

/// Ends when it is woken, at the deadline of its operation, or when the instance stops. Only its
/// timer resumes it, so waking never recurses and cannot be refused.
class Wait {
public:
    Wait(const Host& host, WaitQueue& queue, const char* what) noexcept
        : host_(host), queue_(queue), what_(what) {}

    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) {
        waiting_ = awaiting;
        capstan_op op = 0;
        if constexpr (std::is_base_of_v<PromiseBase, Awaiting>) op = awaiting.promise().op;
        return start(op);
    }
    void await_resume() const {
        if (status_ == CAPSTAN_OK) return;
        throw Failure(error_code(status_),
                      std::string(what_) + ": " + std::string(name_of(error_code(status_))));
    }
    /// Called at most once, after this wait has left the queue.
    void wake() noexcept {
        is_woken_ = true;
        exec_->cancel_timer(host_.raw(), timer_);
    }

private:
    /// Without an operation nothing else bounds the wait.
    static constexpr Duration longest = std::chrono::hours(1);

    inline bool start(capstan_op op);
    inline static void end(void* user, capstan_status status) noexcept;

    Host host_;
    WaitQueue& queue_;
    const char* what_;
    const capstan_exec* exec_ = nullptr;
    std::coroutine_handle<> waiting_{};
    std::uint64_t timer_ = 0;
    capstan_status status_ = CAPSTAN_OK;
    bool is_woken_ = false;
};

/// First in, first out. [strand] Must outlive its waits.
class WaitQueue {
public:
    explicit WaitQueue(std::size_t most = longest_wait_queue) noexcept : most_(most) {}
    WaitQueue(const WaitQueue&) = delete;
    WaitQueue& operator=(const WaitQueue&) = delete;

    bool is_empty() const noexcept { return waits_.empty(); }
    bool is_full() const noexcept { return waits_.size() >= most_; }
    void add(Wait& wait) { waits_.push_back(&wait); }
    void remove(Wait& wait) noexcept { std::erase(waits_, &wait); }
    /// False: nothing was waiting.
    bool wake_one() noexcept {
        if (waits_.empty()) return false;
        Wait* const first = waits_.front();
        waits_.pop_front();
        first->wake();
        return true;
    }
    void wake_all() noexcept {
        while (wake_one()) continue;
    }

private:
    std::size_t most_;
    std::deque<Wait*> waits_{};
};

bool Wait::start(capstan_op op) {
    exec_ = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
    if (!CAPSTAN_HAS(exec_, capstan_exec, after) ||
        !CAPSTAN_HAS(exec_, capstan_exec, cancel_timer)) {
        status_ = CAPSTAN_E_UNSUPPORTED;
    } else if (queue_.is_full()) {
        status_ = CAPSTAN_E_BUSY;
    } else {
        queue_.add(*this);
        const Duration time = op == 0 ? longest : time_left(host_, op);
        status_ = exec_->after(host_.raw(), time.count(), &Wait::end, this, &timer_);
        if (status_ != CAPSTAN_OK) queue_.remove(*this);
    }
    return status_ == CAPSTAN_OK;
}

void Wait::end(void* user, capstan_status status) noexcept {
    auto& self = *static_cast<Wait*>(user);
    if (!self.is_woken_) {
        self.queue_.remove(self);
        self.status_ = status == CAPSTAN_OK ? CAPSTAN_E_DEADLINE : status;
    }
    self.waiting_.resume();
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
