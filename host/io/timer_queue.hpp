/// What is to happen when: the order of timers, without a clock of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::io {

using TimerId = std::uint64_t;

/// Timers by due time, those of one time in the order they were added: the same calls give the same
/// order. Points of time are a Clock's monotonic ones. [any thread]
class TimerQueue {
public:
    using Handler = std::function<void()>;

    /// Ids are never used twice and never 0.
    TimerId add(Duration due, Handler handler);
    /// False: it was taken before, or never was.
    bool cancel(TimerId id);
    std::optional<Duration> next_due() const;
    /// Removes everything due at `now` or before, and hands it over in order.
    std::vector<Handler> take_due(Duration now);
    std::size_t size() const;

private:
    mutable std::mutex mutex_;
    TimerId last_id_ = 0;
    std::map<std::pair<Duration, TimerId>, Handler> by_due_;
    std::unordered_map<TimerId, Duration> due_of_;
};

}  // namespace capstan::io
