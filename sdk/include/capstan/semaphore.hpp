/// Limits the number of concurrent operations.
///
///     Semaphore calls_{host_, 4};
///     const Semaphore::Permit permit = co_await calls_.acquire();
///     co_await send(host_, HttpRequest("GET", url));  // the end of the scope releases the permit
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include <capstan/detail/wait_queue.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] First in, first out. A wait fails at the deadline of its operation (`deadline`), when
/// the instance stops (`cancelled`), or at once if `most_waiting` wait already (`busy`); it has no
/// permit then. Must outlive its permits and waits.
class Semaphore {
public:
    explicit Semaphore(const Host& host, std::size_t permits,
                       std::size_t most_waiting = detail::longest_wait_queue)
        : host_(host), free_(permits), queue_(most_waiting) {}
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    class Permit {
    public:
        explicit Permit(Semaphore& of) noexcept : of_(&of) {}
        Permit(Permit&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        Permit& operator=(Permit&&) = delete;
        ~Permit() { release(); }
        /// Releases it before the end of its scope; a second call does nothing.
        void release() noexcept {
            if (of_ != nullptr) std::exchange(of_, nullptr)->give_back();
        }

    private:
        Semaphore* of_;
    };
    class Acquire : private detail::Wait {
    public:
        explicit Acquire(Semaphore& of) noexcept
            : Wait(of.host_, of.queue_, "waiting for a permit"), of_(of) {}
        bool await_ready() const noexcept {
            if (of_.free_ == 0) return false;
            --of_.free_;
            return true;
        }
        using Wait::await_suspend;
        Permit await_resume() const {
            Wait::await_resume();
            return Permit(of_);
        }

    private:
        Semaphore& of_;
    };

    Acquire acquire() noexcept { return Acquire(*this); }
    std::size_t free_permits() const noexcept { return free_; }

private:
    /// Hands the permit to the first wait in the queue, if there is one.
    void give_back() noexcept {
        if (!queue_.wake_one()) ++free_;
    }
    Host host_;
    std::size_t free_;
    detail::WaitQueue queue_;
};

CAPSTAN_NAMESPACE_END
