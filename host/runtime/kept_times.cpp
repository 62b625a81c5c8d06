#include "runtime/kept_times.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/record/described_memory.hpp"

namespace capstan::runtime {
namespace {

template <class T>
inline constexpr bool holds_optional = false;
template <class T>
inline constexpr bool holds_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool holds_list = false;
template <class T>
inline constexpr bool holds_list<std::vector<T>> = true;
template <class T>
inline constexpr bool holds_table = false;
template <class Key, class T, class Less>
inline constexpr bool holds_table<std::map<Key, T, Less>> = true;

/// Calls `f(name, time)` for each moment in it, by the name of the member that holds it.
template <class T, class F>
void each_time(std::string_view name, T& value, const F& f) {
    if constexpr (std::is_same_v<T, Time>) {
        f(name, value);
    } else if constexpr (holds_optional<T>) {
        if (value) each_time(name, *value, f);
    } else if constexpr (holds_list<T>) {
        for (auto& each : value) each_time(name, each, f);
    } else if constexpr (holds_table<T>) {
        for (auto& [key, each] : value) each_time(name, each, f);
    } else if constexpr (NamedMembers<T>) {
        each_member<T>([&](const char* its, auto member) { each_time(its, value.*member, f); });
    }
}

/// As far as a Duration reaches.
Duration time_between(Time from, Time to) {
    Duration::rep out = 0;
    if (__builtin_sub_overflow(to.time_since_epoch().count(), from.time_since_epoch().count(),
                               &out))
        return from < to ? Duration::max() : Duration::min();
    return Duration(out);
}

/// As far as a Time reaches.
Time moved(Time time, Duration by) {
    Duration::rep out = 0;
    if (__builtin_add_overflow(time.time_since_epoch().count(), by.count(), &out))
        return by > Duration(0) ? Time::max() : Time::min();
    return Time(Duration(out));
}

bool may_be_to_come(std::string_view name) { return name == "until" || name == "deadline"; }

}  // namespace

engine::Memory read_back(engine::Memory memory, const std::optional<engine::PassTime>& written,
                         const engine::PassTime& read) {
    const engine::PassTime from = written.value_or(engine::PassTime(read.wall));
    const Duration passed = std::max(Duration(0), time_between(from.wall, read.wall));
    each_time("", memory, [&](std::string_view name, Time& time) {
        if (time == Time() || time == Time::max() || time == Time::min()) return;
        // Of the time that it was before the writing, then of what has passed since.
        time = moved(moved(read.now, time_between(from.now, time)), -passed);
        if (!may_be_to_come(name)) time = std::min(time, read.now);
    });
    return memory;
}

}  // namespace capstan::runtime
