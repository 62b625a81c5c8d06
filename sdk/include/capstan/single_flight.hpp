/// One call at a time, shared by all that need its result.
///
///     SingleFlight<Token> log_in_{host_};
///     const Token token = co_await log_in_.join(fetch_token());
///
/// The given task runs if no other one is running; otherwise it is dropped.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/detail/wait_queue.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] The call belongs to no operation, so that the end of one waiter does not end it for the
/// others; only the timeouts of its own requests bound it. Each waiter ends at its own deadline and
/// gets a copy of the value; for large values let T be a std::shared_ptr<const ...>. At most 512
/// wait; the next one fails with `busy`.
template <class T>
class SingleFlight {
public:
    explicit SingleFlight(const Host& host) : state_(std::make_shared<State>(host)) {}

    bool is_under_way() const noexcept { return state_->flight != nullptr; }

    /// The value or the error of the running call, or of `call`.
    Task<T> join(Task<T> call) { return join(state_, std::move(call)); }

private:
    struct Flight {
        std::optional<Result<T>> result{};
        detail::WaitQueue waiting{};
    };
    struct State {
        explicit State(const Host& of) : host(of) {}
        Host host;
        std::shared_ptr<Flight> flight{};
    };

    static Task<T> join(std::shared_ptr<State> state, Task<T> call) {
        std::shared_ptr<Flight> flight = state->flight;
        if (!flight) {
            state->flight = flight = std::make_shared<Flight>();
            run(state, flight, std::move(call));
        }
        const std::optional<Result<T>>& result = flight->result;
        if (!result)
            co_await detail::Wait(state->host, flight->waiting, "waiting for a running call");
        CAPSTAN_ASSERT(result, "a call without a result has resumed its waiters");
        co_return Result<T>(*result);
    }
    static detail::Detached run(std::shared_ptr<State> state, std::shared_ptr<Flight> flight,
                                Task<T> call) {
        flight->result.emplace(co_await as_result(std::move(call)));
        state->flight.reset();
        flight->waiting.wake_all();
    }
    std::shared_ptr<State> state_;
};

CAPSTAN_NAMESPACE_END
