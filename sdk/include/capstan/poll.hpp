/// Long operations of a cloud, asked about until they are over.
///
///     Task<std::optional<int>> AcmeCloud::is_resized(std::string operation);   // nothing: not yet
///     const auto ask = [&] { return is_resized(operation); };
///     const std::optional<int> target = co_await poll(host_, ask, {.at_most = 90s});
///     if (!target) ...                              // still under way: the next refresh shows it
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
    /// Before the second question; each further wait is `growth` times as long, up to `delay_max`,
    /// and up to a quarter less at random.
    Duration delay = std::chrono::seconds(1);
    double growth = 1.5;
    Duration delay_max = std::chrono::seconds(15);
    Duration at_most = std::chrono::minutes(2);
    /// What the operation at work is to have left for its own answer when polling ends.
    Duration margin = std::chrono::seconds(1);
};

namespace detail {

// A function of its own, since g++ warns of a coroutine that holds a lambda.
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

/// `ask` gives a Task<std::optional<T>>, nothing for what is still under way, or a Task<bool>, true
/// once it is over. It is asked at once, then after growing waits; the first answer is the result.
/// Nothing, or false: still under way when the time was over. An error of `ask` is the result, too.
template <class Ask>
auto poll(const Host& host, Ask ask, PollTimes times = {}) {
    using Answer = typename std::invoke_result_t<Ask&>::value_type;
    return detail::poll_until<Answer>(host, std::move(ask), times);
}

CAPSTAN_NAMESPACE_END
