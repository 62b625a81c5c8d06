/// Asynchronous work as coroutines. A Task<T> is awaited by another task, or runs as the coroutine
/// of an operation. All tasks run on the instance's strand and never block a thread.
///
///     Task<Resized> AcmeCloud::increase(Resize request) {
///         const HttpReply reply = co_await send(host_, HttpRequest("POST", url_));
///         if (reply.status == 409) co_return fail(ErrorCode::conflict, "acme: ...");
///         co_return Resized{request.expected_target + request.delta};
///     }
///
/// Take arguments by value: they must outlive the first suspension. A thrown Failure, or a failed
/// Result in co_return, ends the task with that error; a Task<void> can only throw. g++ 12
/// miscompiles some co_await expressions; sdk/reference.md lists them. The most common one is an
/// aggregate such as Resize{...} as an argument: its strings are destroyed twice. Assign it to a
/// variable first.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <capstan/abi/services.h>
#include <capstan/assert.hpp>
#include <capstan/host.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
class [[nodiscard]] Task;

namespace detail {

/// The base of every promise: the coroutine to resume, and the operation that this one belongs to
/// (0: none).
struct PromiseBase {
    std::coroutine_handle<> continuation{};
    capstan_op op = 0;

    struct Finish {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
            const std::coroutine_handle<> next = self.promise().continuation;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Finish final_suspend() const noexcept { return {}; }
};

template <class T>
struct Promise : PromiseBase {
    std::optional<Result<T>> result;

    Task<T> get_return_object() noexcept;
    void return_value(Result<T> value) { result.emplace(std::move(value)); }
    void unhandled_exception() { result.emplace(fail(current_error())); }
};

template <>
struct Promise<void> : PromiseBase {
    std::optional<Result<void>> result;

    Task<void> get_return_object() noexcept;
    void return_void() { result.emplace(); }
    void unhandled_exception() { result.emplace(fail(current_error())); }
};

}  // namespace detail

/// Lazy: starts when it is awaited, at most once. Owns its frame.
template <class T>
class [[nodiscard]] Task {
public:
    using promise_type = detail::Promise<T>;
    using value_type = T;

    explicit Task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (frame_) frame_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Awaiting> awaiting) noexcept {
        frame_.promise().continuation = awaiting;
        if constexpr (std::is_base_of_v<detail::PromiseBase, Awaiting>) {
            frame_.promise().op = awaiting.promise().op;
        }
        return frame_;
    }
    /// Returns the value, or throws a Failure with the task's error.
    T await_resume() {
        std::optional<Result<T>>& ended = frame_.promise().result;
        CAPSTAN_ASSERT(ended, "a task without a result has resumed its waiter");
        Result<T>& result = *ended;
        if (!result) throw Failure(std::move(result).error());
        if constexpr (!std::is_void_v<T>) return std::move(*result);
    }

private:
    std::coroutine_handle<promise_type> frame_;
};

namespace detail {

/// A coroutine that nothing awaits: starts at once, belongs to no operation, and frees itself at
/// the end. An exception that leaves it terminates the process.
struct Detached {
    struct promise_type : PromiseBase {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// co_await CurrentOperation(): the operation of this coroutine; 0: none. Does not suspend.
class CurrentOperation {
public:
    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) noexcept {
        if constexpr (std::is_base_of_v<PromiseBase, Awaiting>) op_ = awaiting.promise().op;
        return false;
    }
    capstan_op await_resume() const noexcept { return op_; }

private:
    capstan_op op_ = 0;
};

/// co_await WorkFor(op): from here on this coroutine belongs to that operation. Does not suspend.
class WorkFor {
public:
    explicit WorkFor(capstan_op op) noexcept : op_(op) {}
    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) const noexcept {
        awaiting.promise().op = op_;
        return false;
    }
    void await_resume() const noexcept {}

private:
    capstan_op op_;
};

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
    return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
    return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

/// Completes an operation with a value of the C++ layer; one specialization per result.
template <class T>
struct Completion;

template <>
struct Completion<void> {
    static capstan_status complete(const Host& host, capstan_op op) noexcept {
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_NONE, nullptr);
    }
};

}  // namespace detail

/// The obligation to complete one operation. Move-only, so that the operation is completed exactly
/// once. If this object is dropped, the operation fails with `internal`.
template <class T>
class Pending {
public:
    Pending(const Host& host, capstan_op op) noexcept : host_(host), op_(op) {}
    Pending(Pending&& other) noexcept : host_(other.host_), op_(std::exchange(other.op_, 0)) {}
    Pending& operator=(Pending&&) = delete;
    ~Pending() {
        if (op_ == 0) return;
        capstan_error dropped{};  // not an Error, which might need memory
        dropped.struct_size = sizeof dropped;
        dropped.code = CAPSTAN_E_INTERNAL;
        dropped.message = str("the plugin dropped the operation");
        dropped.retry_after_ms = -1;
        host_.ops()->fail(host_.raw(), op_, &dropped);
    }
    capstan_op op() const noexcept { return op_; }
    /// NOT_FOUND (the host has given up) is ignored. If memory for the conversion runs out, it
    /// throws, and the operation is not completed yet.
    template <class... Value>
    void complete(Value&&... value) {
        detail::Completion<T>::complete(host_, op_, std::forward<Value>(value)...);
        op_ = 0;
    }
    void fail(const Error& error) noexcept {
        const capstan_error e = to_abi(error);
        host_.ops()->fail(host_.raw(), std::exchange(op_, 0), &e);
    }

private:
    Host host_;
    capstan_op op_;
};

namespace detail {

/// The outermost coroutine of an operation: starts at once, and frees itself at the end.
struct Driver {
    struct promise_type : PromiseBase {
        template <class TaskT, class PendingT>
        promise_type(TaskT&, PendingT& pending) noexcept {
            op = pending.op();
        }
        Driver get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

template <class T, class Given>
Driver drive(Task<Given> task, Pending<T> pending) {
    std::optional<Error> error;
    try {
        if constexpr (std::is_void_v<T>) {
            co_await task;
            pending.complete();
        } else {
            pending.complete(co_await task);
        }
    } catch (...) {
        error = current_error();
    }
    if (error) pending.fail(*error);
}

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;

/// Whether an operation with result T accepts a Given.
template <class T, class Given>
inline constexpr bool stands_for = std::is_same_v<T, Given>;

/// Whether an operation with result T can be completed with a Returned.
template <class T, class Returned>
inline constexpr bool can_end =
    stands_for<T, Returned> || (!std::is_void_v<T> && std::is_convertible_v<Returned, Result<T>>);
template <class T, class Given>
inline constexpr bool can_end<T, Task<Given>> = stands_for<T, Given>;
template <class T, class Given>
inline constexpr bool can_end<T, Result<Given>> =
    stands_for<T, Given> || (!std::is_void_v<T> && std::is_convertible_v<Result<Given>, Result<T>>);

/// Completes an operation with what a function of a plugin class returned: a task, a value or a
/// Result.
template <class T, class F>
capstan_status run_operation(const Host& host, capstan_op op, F&& make) noexcept {
    Pending<T> pending(host, op);
    try {
        using Returned = std::invoke_result_t<F>;
        static_assert(can_end<T, Returned>,
                      "an asynchronous function of a plugin class returns T, Result<T> or Task<T> "
                      "with the T of its contract");
        if constexpr (is_task<Returned>) {
            drive<T>(std::forward<F>(make)(), std::move(pending));
        } else if constexpr (is_result<Returned>) {
            auto result = std::forward<F>(make)();
            if (!result) {
                pending.fail(result.error());
            } else if constexpr (std::is_void_v<T>) {
                pending.complete();
            } else {
                pending.complete(std::move(*result));
            }
        } else if constexpr (std::is_void_v<Returned>) {
            std::forward<F>(make)();
            pending.complete();
        } else {
            pending.complete(std::forward<F>(make)());
        }
    } catch (...) {
        if (pending.op() != 0) pending.fail(current_error());
    }
    return CAPSTAN_OK;
}

/// Base of awaitables that wait for one callback on the strand.
struct CallbackAwait {
    std::coroutine_handle<> waiting{};
    capstan_status status = CAPSTAN_OK;

    void refused(capstan_status why) noexcept { status = why; }
    static void resume(void* user, capstan_status status) noexcept {
        auto* self = static_cast<CallbackAwait*>(user);
        self->status = status;
        self->waiting.resume();
    }
    void demand(const char* what) const {
        if (status != CAPSTAN_OK)
            throw Failure(error_code(status),
                          std::string(what) + ": " + std::string(name_of(error_code(status))));
    }
};

}  // namespace detail

/// The awaitable behind `as_result`.
template <class Awaitable>
class AsResult {
    using Value = decltype(std::declval<Awaitable&>().await_resume());

public:
    explicit AsResult(Awaitable inner) : inner_(std::move(inner)) {}

    bool await_ready() { return inner_.await_ready(); }
    template <class Awaiting>
    auto await_suspend(std::coroutine_handle<Awaiting> awaiting) {
        return inner_.await_suspend(awaiting);
    }
    Result<Value> await_resume() {
        try {
            if constexpr (std::is_void_v<Value>) {
                inner_.await_resume();
                return {};
            } else {
                return inner_.await_resume();
            }
        } catch (...) {
            return fail(current_error());
        }
    }

private:
    Awaitable inner_;
};
/// Returns errors as values, so that the code that handles them may await (co_await is not allowed
/// in a catch block):
///     const Result<HttpReply> reply = co_await as_result(send(host, HttpRequest("GET", url)));
///     if (!reply) co_await clean_up();
/// Works for tasks, requests, sleeps and the other awaitables of the SDK. Do not ignore errors of
/// sleeps in a loop: when the instance stops, every sleep fails at once and the loop never ends.
template <class Awaitable>
AsResult<Awaitable> as_result(Awaitable awaitable) {
    return AsResult<Awaitable>(std::move(awaitable));
}

/// A task that fails, for a function that is not a coroutine:
///     if (!group) return fail_task<Resized>({ErrorCode::not_found, "acme: ..."});
///     return resize(*group);
template <class T>
Task<T> fail_task(Error error) {
    co_return fail(std::move(error));
}
template <>
inline Task<void> fail_task<void>(Error error) {
    throw Failure(std::move(error));
    co_return;
}

namespace detail {
/// The remaining time of the operation, at least one nanosecond.
inline Duration time_left(const Host& host, capstan_op op) noexcept {
    const Duration deadline(host.ops()->deadline_ns(host.raw(), op));
    return std::max(deadline - host.monotonic(), Duration(1));
}
}  // namespace detail

/// The awaitable behind `time_left`.
class TimeLeft : private detail::CurrentOperation {
public:
    explicit TimeLeft(const Host& host) noexcept : host_(host) {}
    using CurrentOperation::await_ready;
    using CurrentOperation::await_suspend;
    std::optional<Duration> await_resume() const noexcept {
        const capstan_op op = CurrentOperation::await_resume();
        if (op == 0) return std::nullopt;
        return detail::time_left(host_, op);
    }

private:
    Host host_;
};
/// co_await time_left(host): the time until the deadline of the current operation; absent: there is
/// no operation, as in a Background task. Does not suspend.
inline TimeLeft time_left(const Host& host) noexcept { return TimeLeft(host); }

/// co_await sleep_for(host, 10s): sleeps no longer than until the deadline of the current operation
/// (then it throws `deadline`).
class SleepFor : private detail::CallbackAwait {
public:
    SleepFor(const Host& host, Duration delay) noexcept : host_(host), delay_(delay) {}

    bool await_ready() const noexcept { return delay_ <= Duration::zero(); }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) noexcept {
        waiting = awaiting;
        if constexpr (std::is_base_of_v<detail::PromiseBase, Awaiting>)
            cut_to_deadline(awaiting.promise().op);
        const auto* exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_status accepted =
            CAPSTAN_HAS(exec, capstan_exec, after)
                ? exec->after(host_.raw(), delay_.count(), &CallbackAwait::resume,
                              static_cast<CallbackAwait*>(this), nullptr)
                : CAPSTAN_E_UNSUPPORTED;
        if (accepted != CAPSTAN_OK) refused(accepted);
        return accepted == CAPSTAN_OK;
    }
    void await_resume() const {
        demand("sleep");
        if (cut_) throw Failure(ErrorCode::deadline, "sleep: deadline of the operation exceeded");
    }

private:
    void cut_to_deadline(capstan_op op) noexcept {
        if (op == 0) return;
        const Duration left = detail::time_left(host_, op);
        if (left >= delay_) return;
        cut_ = true;
        delay_ = left;
    }
    Host host_;
    Duration delay_;
    bool cut_ = false;
};
inline SleepFor sleep_for(const Host& host, Duration delay) noexcept { return {host, delay}; }

/// co_await blocking(host, work): runs `work` on a thread that may block, and returns its value, or
/// throws its exception, on the strand. An lvalue is borrowed, an rvalue is moved.
template <class F>
class Blocking : private detail::CallbackAwait {
    using Value = std::invoke_result_t<F&>;
    using Stored = std::conditional_t<std::is_void_v<Value>, bool, Value>;

public:
    Blocking(const Host& host, F&& work) : host_(host), work_(std::forward<F>(work)) {}

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> awaiting) noexcept {
        waiting = awaiting;
        const auto* exec = host_.service<capstan_exec>(CAPSTAN_SERVICE_EXEC);
        const capstan_status accepted =
            CAPSTAN_HAS(exec, capstan_exec, blocking)
                ? exec->blocking(host_.raw(), &Blocking::run, &Blocking::finish, this)
                : CAPSTAN_E_UNSUPPORTED;
        if (accepted != CAPSTAN_OK) refused(accepted);
        return accepted == CAPSTAN_OK;
    }
    Value await_resume() {
        demand("blocking work");
        if (thrown_) std::rethrow_exception(thrown_);
        if constexpr (!std::is_void_v<Value>) {
            CAPSTAN_ASSERT(value_, "work has ended without a value or an exception");
            return std::move(*value_);
        }
    }

private:
    static void run(void* user) noexcept {
        auto* self = static_cast<Blocking*>(user);
        try {
            if constexpr (std::is_void_v<Value>) {
                self->work_();
            } else {
                self->value_.emplace(self->work_());
            }
        } catch (...) {
            self->thrown_ = std::current_exception();
        }
    }
    static void finish(void* user, capstan_status status) noexcept {
        CallbackAwait::resume(static_cast<CallbackAwait*>(static_cast<Blocking*>(user)), status);
    }
    Host host_;
    F work_;
    std::optional<Stored> value_;
    std::exception_ptr thrown_;
};
namespace detail {
/// A function and its arguments.
template <class F, class... Args>
class BoundWork {
public:
    explicit BoundWork(F function, Args... args)
        : function_(std::move(function)), args_(std::move(args)...) {}
    decltype(auto) operator()() { return std::apply(function_, std::move(args_)); }

private:
    F function_;
    std::tuple<Args...> args_;
};
}  // namespace detail

template <class F>
Blocking<F> blocking(const Host& host, F&& work) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
    static_assert(
        std::is_lvalue_reference_v<F> || std::is_trivially_copyable_v<F>,
        "g++ before 14 destroys the captures of a lambda inside a co_await expression twice: "
        "assign the lambda to a variable, then co_await blocking(host, variable)");
#endif
    return Blocking<F>(host, std::forward<F>(work));
}
/// The same for a function with arguments, which are moved, as for std::async. Unlike a lambda with
/// captures this is safe inside a co_await expression:
///     co_await blocking(host, &parse_types, std::move(text));
template <class F, class Arg, class... Args>
auto blocking(const Host& host, F function, Arg arg, Args... args) {
    using Work = detail::BoundWork<F, Arg, Args...>;
    return Blocking<Work>(host, Work(std::move(function), std::move(arg), std::move(args)...));
}

CAPSTAN_NAMESPACE_END
