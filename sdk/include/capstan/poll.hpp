/// Polls long operations of a cloud until they are done.
///
///     Task<std::optional<int>> AcmeCloud::is_resized(std::string operation);   // absent: not yet
///     const auto ask = [&] { return is_resized(operation); };
///     const std::optional<int> target = co_await poll(host_, ask, {.at_most = 90s});
///     if (!target) ...       // still running: the next refresh shows the result
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

struct PollTimes {
    /// Before the second call. Each further wait is `growth` times as long, up to `delay_max`.
    /// Every wait is shortened at random by up to a quarter.
    Duration delay = std::chrono::seconds(1);
    double growth = 1.5;
    Duration delay_max = std::chrono::seconds(15);
    Duration at_most = std::chrono::minutes(2);
    /// Time that the current operation keeps for its own result when polling ends.
    Duration margin = std::chrono::seconds(1);
};

namespace detail {

// A separate function, since g++ warns about a coroutine that holds a lambda.
template <class Answer>
Task<Answer> poll_until(Host host, std::function<Task<Answer>()> ask, PollTimes times) {
    const Duration begin = host.monotonic();
    const std::optional<Duration> left = co_await time_left(host);
    Duration allowed = times.at_most;
    if (left) allowed = std::min(allowed, *left - times.margin);
    Duration delay = times.delay;
    for (;;) {
        Answer answer = co_await ask();
        if (answer) co_return answer;
        const auto wait =
            std::chrono::duration_cast<Duration>(delay * (1 - host.random_share() / 4));
        if (host.monotonic() - begin + wait > allowed) co_return answer;
        co_await sleep_for(host, wait);
        const auto longer =
            std::chrono::duration_cast<Duration>(delay * std::max(times.growth, 1.0));
        delay = std::clamp(longer, Duration(1), std::max(times.delay_max, Duration(1)));
    }
}

}  // namespace detail

/// `ask` returns a Task<std::optional<T>>, absent while the operation is running, or a Task<bool>,
/// true once it is done. It is called at once, then after growing waits, until it has a result or
/// the time is over. The last result is returned; absent, or false: the operation was still
/// running. An error of `ask` ends polling.
template <class Ask>
auto poll(const Host& host, Ask ask, PollTimes times = {}) {
    using Answer = typename std::invoke_result_t<Ask&>::value_type;
    return detail::poll_until<Answer>(host, std::move(ask), times);
}

CAPSTAN_NAMESPACE_END
