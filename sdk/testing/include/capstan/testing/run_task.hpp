/// Runs a coroutine of a plugin to its end, in virtual time.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <capstan/task.hpp>
#include <capstan/testing/fake_host.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace detail {

template <class T>
struct TaskDriver {
    using Slot = std::shared_ptr<std::optional<Result<T>>>;
    struct promise_type : capstan::detail::PromiseBase {
        promise_type(Task<T>&, Slot&, capstan_op& working_for) noexcept { op = working_for; }
        TaskDriver get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
    static TaskDriver drive(Task<T> task, Slot slot, capstan_op) {
        try {
            if constexpr (std::is_void_v<T>) {
                co_await task;
                slot->emplace();
            } else {
                slot->emplace(co_await task);
            }
        } catch (...) {
            slot->emplace(fail(current_error()));
        }
    }
};

}  // namespace detail

/// The task's value or error. The clock advances from timer to timer. The task belongs to an
/// operation with a deadline `allowed` from now; if the task has not ended by then, the error is
/// ErrorCode::deadline. (Such a task ends when the host stops, and what it refers to must live
/// until then.)
template <class T>
Result<T> run(FakeHost& host, Task<T> task, Duration allowed = std::chrono::minutes(10)) {
    const Operation<void> operation = host.open<void>(allowed);
    const auto slot = std::make_shared<std::optional<Result<T>>>();
    detail::TaskDriver<T>::drive(std::move(task), slot, operation.id());
    host.run();
    while (!*slot && !operation.is_done() && host.step()) continue;
    if (!*slot) return fail(ErrorCode::deadline, "the task has not ended in the time allowed");
    host.cancel(operation.id());
    return std::move(**slot);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
