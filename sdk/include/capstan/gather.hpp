/// Runs several tasks concurrently, a bounded number at a time.
///
///     std::vector<Task<Zone>> reads;
///     for (const std::string& name : names) reads.push_back(read_zone(name));
///     const std::vector<Zone> zones = co_await gather(std::move(reads), 8);
///
/// All of them belong to the operation that awaits them, and share its deadline and cancellation.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct Gathering {
    std::vector<Task<T>> tasks;
    bool ends_at_failure = false;
    capstan_op op = 0;
    std::vector<std::optional<Result<T>>> results{};
    std::size_t next = 0;  ///< the first task that has not started
    bool has_failed = false;
    std::size_t open = 0;  ///< running workers, plus one while they are being started
    std::coroutine_handle<> waiting{};

    bool is_over() const noexcept {
        return next == tasks.size() || (ends_at_failure && has_failed);
    }
    void close_one() {
        if (--open == 0) waiting.resume();
    }
};

/// A worker: runs one task after the other. `all` may be destroyed once its last worker has ended.
template <class T>
Detached run_tasks(Gathering<T>& all) {
    co_await WorkFor(all.op);
    while (!all.is_over()) {
        const std::size_t mine = all.next++;
        Task<T> task = std::move(all.tasks[mine]);
        Result<T> result = co_await as_result(std::move(task));
        all.has_failed = all.has_failed || !result;
        all.results[mine].emplace(std::move(result));
    }
    all.close_one();
}

template <class T>
class RunAll {
public:
    RunAll(Gathering<T>& all, std::size_t at_most) noexcept : all_(all), at_most_(at_most) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> awaiting) {
        all_.waiting = awaiting;
        all_.open = 1;
        for (std::size_t n = std::max<std::size_t>(at_most_, 1); n > 0 && !all_.is_over(); --n) {
            ++all_.open;
            run_tasks(all_);
        }
        return --all_.open != 0;
    }
    void await_resume() const noexcept {}

private:
    Gathering<T>& all_;
    std::size_t at_most_;
};

/// Returns the results of the tasks that were started, in the order of `tasks`.
template <class T>
Task<std::vector<Result<T>>> run_all(std::vector<Task<T>> tasks, std::size_t at_most,
                                     bool ends_at_failure) {
    Gathering<T> all{std::move(tasks), ends_at_failure};
    all.op = co_await CurrentOperation();
    all.results.resize(all.tasks.size());
    co_await RunAll<T>(all, at_most);
    std::vector<Result<T>> out;
    out.reserve(all.next);
    for (std::size_t i = 0; i < all.next; ++i) {
        std::optional<Result<T>>& result = all.results[i];
        CAPSTAN_ASSERT(result, "a task has not ended");
        out.push_back(std::move(*result));
    }
    co_return out;
}

}  // namespace detail

/// The value or error of each task, in order; at most `at_most` run at a time (0 counts as 1). A
/// failure does not stop the other tasks.
template <class T>
Task<std::vector<Result<T>>> gather_results(std::vector<Task<T>> tasks, std::size_t at_most) {
    return detail::run_all(std::move(tasks), at_most, false);
}

/// The values, in the order of the tasks. After the first failure no further task is started; once
/// the running ones have ended, it fails with the error of the first failed task in that order.
template <class T>
Task<std::vector<T>> gather(std::vector<Task<T>> tasks, std::size_t at_most) {
    std::vector<Result<T>> results = co_await detail::run_all(std::move(tasks), at_most, true);
    std::vector<T> out;
    out.reserve(results.size());
    for (Result<T>& result : results) {
        if (!result) co_return fail(std::move(result).error());
        out.push_back(std::move(*result));
    }
    co_return out;
}
inline Task<void> gather(std::vector<Task<void>> tasks, std::size_t at_most) {
    const std::vector<Result<void>> results =
        co_await detail::run_all(std::move(tasks), at_most, true);
    for (const Result<void>& result : results) {
        if (!result) throw Failure(result.error());
    }
}

CAPSTAN_NAMESPACE_END
