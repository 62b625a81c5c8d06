#include "engine/next_change.hpp"

#include <algorithm>

namespace capstan::engine {

std::optional<Time> end_of(Time since, Duration length) noexcept {
    if (length > Time::max() - std::max(since, Time())) return std::nullopt;
    return since + length;
}

Time later(Time since, Duration length) noexcept {
    return end_of(since, length).value_or(Time::max());
}

void NextChange::note(Time moment) noexcept { at_ = std::min(at_.value_or(moment), moment); }

bool NextChange::is_younger(Time since, Duration length) noexcept {
    const std::optional<Time> end = end_of(since, length);
    if (end && *end <= now_) return false;
    if (end) note(*end);
    return true;
}

bool NextChange::is_within(Time since, Duration length) noexcept {
    return is_before_end(later(since, length));
}

bool NextChange::is_before_end(Time end) noexcept {
    if (end < now_) return false;
    if (end < Time::max()) note(end + Duration(1));
    return true;
}

}  // namespace capstan::engine
