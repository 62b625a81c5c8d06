/// Asynchronous work as coroutines: a Task<T> is awaited by another task or driven to the end of an
/// operation. All of it runs on the instance's strand; no thread is ever parked.
///
///     Task<int> AcmeCloud::increase(Resize request) {
///         const HttpReply reply = co_await send(host_, HttpRequest("POST", url_));
///         if (reply.status == 409) co_return fail(ErrorCode::conflict, "acme: ...");
///         co_return request.expected_target + request.delta;
///     }
///
/// Arguments are taken by value: they must outlive the first suspension. A Failure thrown, or a
/// failed Result co_returned, ends the operation with that error; a Task<void> can only throw.
/// What g++ 12 makes of a co_await expression has traps: sdk/README.md has a table of them. The
/// first one is that no aggregate such as Resize{...} stands in it as an argument: its texts would
/// be destroyed twice. Give it a name first.
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
#include <capstan/host.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
class [[nodiscard]] Task;

namespace detail {

/// What every task's promise knows: the coroutine to resume, and the operation it works for (0:
/// none).
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

/// Lazy: runs when awaited, which happens once. Owns its frame.
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
    /// The value; throws Failure with the task's error.
    T await_resume() {
        Result<T>& result = *frame_.promise().result;
        if (!result) throw Failure(std::move(result).error());
        if constexpr (!std::is_void_v<T>) return std::move(*result);
    }

private:
    std::coroutine_handle<promise_type> frame_;
};

namespace detail {

/// A coroutine that nothing awaits: starts at once, works for no operation, frees itself at the
/// end. What its body lets out ends the process.
struct Detached {
    struct promise_type : PromiseBase {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// co_await CurrentOperation(): the operation that this coroutine works for, 0 for none. Does not
/// suspend.
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

/// co_await WorkFor(op): from here on this coroutine works for that operation. Does not suspend.
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

/// How a value of the C++ layer becomes the result an operation asks for; one specialisation per
/// result.
template <class T>
struct Completion;

template <>
struct Completion<void> {
    static capstan_status complete(const Host& host, capstan_op op) noexcept {
        return host.ops()->complete(host.raw(), op, CAPSTAN_RESULT_NONE, nullptr);
    }
};

}  // namespace detail

/// The promise to end one operation. Move-only: exactly one completion by construction, and a
/// dropped one ends as `internal` instead of never.
template <class T>
class Pending {
public:
    Pending(const Host& host, capstan_op op) noexcept : host_(host), op_(op) {}
    Pending(Pending&& other) noexcept : host_(other.host_), op_(std::exchange(other.op_, 0)) {}
    Pending& operator=(Pending&&) = delete;
    ~Pending() {
        if (op_ == 0) return;
        capstan_error dropped{};  // without an Error, whose text might not find memory
        dropped.struct_size = sizeof dropped;
        dropped.code = CAPSTAN_E_INTERNAL;
        dropped.message = str("the plugin dropped the operation");
        dropped.retry_after_ms = -1;
        host_.ops()->fail(host_.raw(), op_, &dropped);
    }
    capstan_op op() const noexcept { return op_; }
    /// NOT_FOUND (the host has given up meanwhile) is no concern of the plugin's. If there is no
    /// memory to lower the value, it throws and the operation is still to be ended.
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

/// The outermost coroutine of an operation: starts at once, frees itself at the end.
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

/// Whether an operation that asks for a T takes a Given in its place.
template <class T, class Given>
inline constexpr bool stands_for = std::is_same_v<T, Given>;

/// Whether an operation that asks for a T can be ended with what a function returned.
template <class T, class Returned>
inline constexpr bool can_end =
    stands_for<T, Returned> || (!std::is_void_v<T> && std::is_convertible_v<Returned, Result<T>>);
template <class T, class Given>
inline constexpr bool can_end<T, Task<Given>> = stands_for<T, Given>;
template <class T, class Given>
inline constexpr bool can_end<T, Result<Given>> =
    stands_for<T, Given> || (!std::is_void_v<T> && std::is_convertible_v<Result<Given>, Result<T>>);

/// Runs what an asynchronous function of a plugin class returned: a task, or a value or Result that
/// is there already.
template <class T, class F>
capstan_status run_operation(const Host& host, capstan_op op, F&& make) noexcept {
    Pending<T> pending(host, op);
    try {
        using Returned = std::invoke_result_t<F>;
        static_assert(can_end<T, Returned>,
                      "an asynchronous function of a plugin class returns T, Result<T> or Task<T>, "
                      "where T is what its contract says");
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

/// Common to awaitables that wait for one callback on the strand.
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
/// The error of what is awaited as a value, so that what follows it may wait, too (no co_await
/// stands in a catch block):
///     const Result<HttpReply> reply = co_await as_result(send(host, HttpRequest("GET", url)));
///     if (!reply) co_await clean_up();
/// For a task, a request, a sleep: all that can be awaited here. A loop that goes on after any
/// error of its sleeps never ends: in an instance that stops, each fails at once.
template <class Awaitable>
AsResult<Awaitable> as_result(Awaitable awaitable) {
    return AsResult<Awaitable>(std::move(awaitable));
}

/// A task that fails, for a function that is no coroutine:
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
/// What the operation has left of its time; a nanosecond at least.
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
/// co_await time_left(host): until the deadline of the operation at work; nothing: there is no
/// operation, as in a task of Background. Does not wait.
inline TimeLeft time_left(const Host& host) noexcept { return TimeLeft(host); }

/// co_await sleep_for(host, 10s): never past the deadline of the operation at work (then it throws
/// `deadline`).
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
        if (cut_) throw Failure(ErrorCode::deadline, "sleep: cut at the operation's deadline");
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

/// co_await blocking(host, [this] { return library_.call(); }): on a thread that may block; the
/// value comes back on the strand, and so does an exception. Work with a name is borrowed, other
/// work is moved.
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
        if constexpr (!std::is_void_v<Value>) return std::move(*value_);
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
/// A function and what it is called with.
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
        "g++ before 14 destroys what a lambda inside a co_await expression has captured twice: "
        "give the lambda a name, then co_await blocking(host, name)");
#endif
    return Blocking<F>(host, std::forward<F>(work));
}
/// With what the work is called with, which is moved there, as std::async has it. Unlike a lambda
/// with captures this can be written out inside a co_await expression:
///     co_await blocking(host, &parse_types, std::move(text));
template <class F, class Arg, class... Args>
auto blocking(const Host& host, F function, Arg arg, Args... args) {
    using Work = detail::BoundWork<F, Arg, Args...>;
    return Blocking<Work>(host, Work(std::move(function), std::move(arg), std::move(args)...));
}

CAPSTAN_NAMESPACE_END
