/// The threads that were abandoned inside plugins and have not come back.
#pragma once

#include <ctime>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <capstan/time.hpp>

#include "runtime/loop/breadcrumbs.hpp"

namespace capstan::runtime::loop {

/// What abandoned threads may cost the process until it is better to begin anew.
struct AbandonedLimits {
    /// Resident memory of the process, in bytes; nothing: only its growth counts.
    std::optional<std::uint64_t> memory{};
    /// By how much that may grow after a thread was abandoned, in bytes.
    std::uint64_t memory_growth = std::uint64_t{1} << 30;
    /// How long one may burn a core.
    Duration busy_time = std::chrono::minutes(3);
};

/// An abandoned thread cannot be ended by itself: a plugin may hold locks, and memory that it took
/// is the process's. One that waits costs little and is left alone. One that burns a core for long,
/// by its own CPU clock, or beside which the process's memory passes a limit, is a reason to end
/// the process, which loses nothing by it and starts anew. [any thread]
class AbandonedThreads : public std::enable_shared_from_this<AbandonedThreads> {
public:
    /// Where the figures come from: the machine's by default.
    struct Sources {
        std::function<Duration()> now{};
        /// CPU time that a thread has used; nothing: it has ended.
        std::function<std::optional<Duration>(clockid_t)> cpu_time{};
        std::function<std::uint64_t()> memory{};  ///< resident bytes of the process
    };
    explicit AbandonedThreads(AbandonedLimits limits = {}) : AbandonedThreads(limits, machine()) {}
    AbandonedThreads(AbandonedLimits limits, Sources sources)
        : limits_(limits), sources_(std::move(sources)) {}
    AbandonedThreads(const AbandonedThreads&) = delete;
    AbandonedThreads& operator=(const AbandonedThreads&) = delete;

    /// A thread is left to itself inside `hook` of the plugin. The value goes when it has come
    /// back, before it ends: `cpu_clock` is its own, see pthread_getcpuclockid.
    [[nodiscard]] std::shared_ptr<void> add(std::string plugin, Hook hook, clockid_t cpu_clock);

    /// Why the process is to end now, as a sentence that names plugin and hook; nothing: it may go
    /// on. Asked about once a second.
    std::optional<std::string> reason_to_end();

private:
    struct Thread {
        std::string plugin;
        Hook hook;
        clockid_t cpu_clock;
        Duration since;
        std::uint64_t memory_before;
        // When its CPU clock was read last, and what it showed.
        Duration read_at;
        Duration cpu_then;
    };
    static Sources machine();
    std::optional<std::string> memory_reason(const Thread& thread, Duration now) const;
    std::optional<std::string> busy_reason(Thread& thread, Duration now) const;

    const AbandonedLimits limits_;
    const Sources sources_;
    std::mutex mutex_;
    std::list<Thread> threads_;
};

/// 90 % of what the cgroup of this process may use (memory.max); nothing: it has no limit, or none
/// that can be read.
std::optional<std::uint64_t> cgroup_memory_limit();

}  // namespace capstan::runtime::loop
