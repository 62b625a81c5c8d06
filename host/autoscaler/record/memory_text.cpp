#include "autoscaler/record/memory_text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>

#include "autoscaler/record/described_types.hpp"

namespace capstan::autoscaler::record {

Result<void> check_version(kubernetes::JsonProblems& problems, std::string_view name, int version) {
    const JsonCursor root = problems.root();
    const auto found = root.required("version").integer(1, std::numeric_limits<int>::max());
    CAPSTAN_CHECK(check_problems(problems, name));
    CAPSTAN_ASSERT(found, "a version that could not be read is no problem");
    if (*found == version) return {};
    const std::string host(root["host"].text().value_or("of another version"));
    return fail(ErrorCode::unsupported, std::string(name) + ": has version " +
                                            std::to_string(*found) + ", written by capstan " +
                                            host + "; this version of capstan reads version " +
                                            std::to_string(version) + " only");
}

Result<void> check_problems(const kubernetes::JsonProblems& problems, std::string_view name) {
    if (problems.empty()) return {};
    std::string text = problems_text(problems, name);
    text.pop_back();  // the last line's end
    return fail(ErrorCode::invalid_argument, std::move(text));
}

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

/// Calls `f(name, part)` for each part of the type Part in `value`, with the name of its member.
template <class Part, class T, class F>
void each_part(std::string_view name, T& value, const F& f) {
    if constexpr (std::is_same_v<T, Part>) {
        f(name, value);
    } else if constexpr (holds_optional<T>) {
        if (value) each_part<Part>(name, *value, f);
    } else if constexpr (holds_list<T>) {
        for (auto& each : value) each_part<Part>(name, each, f);
    } else if constexpr (holds_table<T>) {
        for (auto& [key, each] : value) each_part<Part>(name, each, f);
    } else if constexpr (NamedMembers<T>) {
        each_member<T>(
            [&](const char* its, auto member) { each_part<Part>(its, value.*member, f); });
    }
}

/// `to - from`, saturated at the limits of Duration.
Duration time_between(Time from, Time to) {
    Duration::rep out = 0;
    if (__builtin_sub_overflow(to.time_since_epoch().count(), from.time_since_epoch().count(),
                               &out))
        return from < to ? Duration::max() : Duration::min();
    return Duration(out);
}

/// `time + by`, saturated at the limits of Time.
Time saturated_sum(Time time, Duration by) {
    Duration::rep out = 0;
    if (__builtin_add_overflow(time.time_since_epoch().count(), by.count(), &out))
        return by > Duration(0) ? Time::max() : Time::min();
    return Time(Duration(out));
}

/// `name`: of a member of Memory or of one of its parts.
bool may_be_in_future(std::string_view name) {
    constexpr std::string_view names[] = {"until", "deadline", "not_before", "unanswered_until",
                                          "empty_groups"};
    return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

engine::Memory rebase_times(engine::Memory memory, const engine::PassTime& written,
                            const engine::PassTime& read) {
    const Duration passed = std::max(Duration(0), time_between(written.wall, read.wall));
    each_part<Time>("", memory, [&](std::string_view name, Time& time) {
        if (time == Time() || time == Time::max() || time == Time::min()) return;
        // The distance to the time of writing stays, and `passed` is added to the age.
        time = saturated_sum(saturated_sum(read.now, time_between(written.now, time)), -passed);
        if (!may_be_in_future(name)) time = std::min(time, read.now);
    });
    return memory;
}

namespace {

constexpr int memory_version = 2;

}  // namespace

/// The time of writing, by both clocks of a pass.
struct WrittenAt {
    Time now{}, wall{};
    bool operator==(const WrittenAt&) const = default;
};
BOOST_DESCRIBE_STRUCT(WrittenAt, (), (now, wall))

/// The document of the text.
struct SavedMemory {
    int version = 0;
    std::string host{};
    std::optional<WrittenAt> written{};
    engine::Memory memory{};
};
BOOST_DESCRIBE_STRUCT(SavedMemory, (), (version, host, written, memory))

namespace {

std::string saved_text(const SavedMemory& saved) {
    JsonText out;
    write_json(out, saved);
    return out.take();
}

constexpr void (*dispensable[])(engine::Memory&) = {
    [](engine::Memory& memory) { memory.hints.clear(); },
    [](engine::Memory& memory) {
        each_part<engine::BriefText>("", memory,
                                     [](std::string_view, engine::BriefText& text) { text = {}; });
    },
    [](engine::Memory& memory) { memory.templates.clear(); },
    [](engine::Memory& memory) { memory.known_groups.clear(); },
    [](engine::Memory& memory) {
        memory.planned.clear();
        memory.planned_since.clear();
    },
    [](engine::Memory& memory) { memory.removal_backoffs.clear(); },
    [](engine::Memory& memory) { memory.created.clear(); },
    [](engine::Memory& memory) { memory.unneeded.clear(); },
    [](engine::Memory& memory) { memory.launched.clear(); },
    [](engine::Memory& memory) {
        for (auto& [node, removal] : memory.removals) removal.evictions.clear();
        for (auto& [node, leaving] : memory.leaving) leaving.evictions.clear();
    },
    [](engine::Memory& memory) { memory.failed_machines.clear(); },
    [](engine::Memory& memory) { memory.removed_machines.clear(); },
    [](engine::Memory& memory) {
        memory.unjoined.clear();
        memory.lost_nodes.clear();
    },
    [](engine::Memory& memory) {
        memory.backoffs.clear();
        memory.offering_backoffs.clear();
        memory.cloud_backoffs.clear();
        memory.request_backoffs.clear();
        memory.failed_calls.clear();
        memory.decrease_backoffs.clear();
        memory.unremovable_groups.clear();
        memory.unreplaceable_groups.clear();
    },
};

}  // namespace

Result<std::string> memory_text(const engine::Memory& memory, std::string_view host,
                                const MemoryTextLimits& limits,
                                const std::optional<engine::PassTime>& written) {
    SavedMemory saved{.version = memory_version, .host = std::string(host), .memory = memory};
    if (written) saved.written = WrittenAt{written->now, written->wall};
    std::string text = saved_text(saved);
    std::size_t limit = std::min(limits.with_hints, limits.all);
    for (void (*const drop_part)(engine::Memory&) : dispensable) {
        if (text.size() <= limit) return text;
        limit = limits.all;
        drop_part(saved.memory);
        text = saved_text(saved);
    }
    if (text.size() <= limit) return text;
    return fail(ErrorCode::invalid_argument, "it needs at least " + std::to_string(text.size()) +
                                                 " bytes; there is room for " +
                                                 std::to_string(limit));
}

std::string_view memory_part(std::string_view text) {
    return text.substr(std::min(text.find(R"("memory":)"), text.size()));
}

Result<engine::Memory> parse_memory(std::string_view text, std::string_view name,
                                    const std::optional<engine::PassTime>& read) {
    CAPSTAN_TRY(SavedMemory saved, parse_versioned<SavedMemory>(text, name, memory_version));
    if (!read) return std::move(saved.memory);
    if (!saved.written)
        return fail(ErrorCode::invalid_argument, std::string(name) + ": /written: is missing");
    // The cluster has not been observed since the writing.
    if (!saved.memory.unobserved_since) saved.memory.unobserved_since = saved.written->now;
    // What this process sees is newer than the taints of the process before. A node without the
    // taint has lost it since: the memory may be older than the end of its removal.
    for (auto& [node, removal] : saved.memory.removals)
        if (!removal.mark.empty()) removal.mark_seen = true;
    return rebase_times(std::move(saved.memory), {saved.written->now, saved.written->wall}, *read);
}

}  // namespace capstan::autoscaler::record
