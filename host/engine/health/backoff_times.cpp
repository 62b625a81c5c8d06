#include "engine/health/backoff_times.hpp"

#include <algorithm>

#include "engine/health/alarm.hpp"

namespace capstan::engine {

Duration next_backoff_length(Duration before, bool still_alone,
                             const BackoffLengths& lengths) noexcept {
    const auto& [first, most] = lengths;
    if (before == Duration(0)) return std::min(first, most);
    if (still_alone) return std::min(before, most);
    return before > most / 2 ? most : 2 * before;
}

Time find_backoff_end(const Error& error, Duration length, Duration most, Time now) noexcept {
    const Duration asked = std::min(error.retry_after.value_or(length), most);
    return later(now, std::max(length, asked));
}

bool is_backoff_past(Time until, Time since, Duration reset, Time now) noexcept {
    return until < now && now - since > reset;
}

}  // namespace capstan::engine
