/// Work that runs in the background, such as the renewal of credentials, from `start` to `stop`:
///
///     Task<void> AcmeCloud::start() {
///         token_ = co_await log_in();
///         background_.spawn("renewal of the token", renew());  // a member: Background(host)
///     }
///     Task<void> AcmeCloud::renew() {
///         for (;;) {
///             co_await sleep_for(host_, 30min);  // ends the task when the instance stops
///             const Result<Token> fresh = co_await as_result(log_in());
///             if (fresh) token_ = *fresh;
///         }
///     }
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] Background tasks belong to no operation, so only their own timeouts bound their waits.
/// When the instance stops, the host ends their sleeps and requests with `cancelled` and waits for
/// the tasks: a plugin needs no `stop` for its background tasks.
class Background {
public:
    explicit Background(const Host& host) : state_(std::make_shared<State>(host)) {}

    /// Runs the task at once, up to its first wait. An error that leaves the task ends it, is
    /// logged under `name`, and is kept as `failure`. `cancelled` is not an error: it ends the task
    /// when the instance stops.
    void spawn(std::string name, Task<void> task) {
        ++state_->running;
        run(state_, std::move(name), std::move(task));
    }
    std::size_t running() const noexcept { return state_->running; }
    /// The error of the last task that failed, for `self_check` or the next refresh to report.
    const std::optional<Error>& failure() const noexcept { return state_->failure; }

private:
    struct State {
        explicit State(const Host& of) : host(of) {}
        Host host;
        std::size_t running = 0;
        std::optional<Error> failure{};
        std::coroutine_handle<> waiting{};
    };
    class Ended {
    public:
        explicit Ended(State& state) noexcept : state_(state) {}
        bool await_ready() const noexcept { return state_.running == 0; }
        void await_suspend(std::coroutine_handle<> awaiting) const noexcept {
            state_.waiting = awaiting;
        }
        void await_resume() const noexcept {}

    private:
        State& state_;
    };

    static detail::Detached run(std::shared_ptr<State> state, std::string name, Task<void> task) {
        const Result<void> result = co_await as_result(std::move(task));
        if (!result && result.error().code != ErrorCode::cancelled) {
            state->failure = result.error();
            state->host.error("background task failed: " + result.error().message,
                              {field("task", name)});
        }
        if (--state->running == 0 && state->waiting)
            std::exchange(state->waiting, nullptr).resume();
    }
    std::shared_ptr<State> state_;

public:
    /// For a `stop` that has work to do after all tasks have ended; awaited only there, and once.
    Ended ended() const noexcept { return Ended(*state_); }
};

CAPSTAN_NAMESPACE_END
