/// The threads that were abandoned inside plugins and have not returned.
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

#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::plugin_runtime::loop {

/// What abandoned threads may cost the process before it ends, to be restarted.
struct AbandonedLimits {
    /// Resident memory of the process, in bytes. Absent: only `memory_growth` counts.
    std::optional<std::uint64_t> memory{};
    /// Growth of that memory since a thread was abandoned, in bytes.
    std::uint64_t memory_growth = std::uint64_t{1} << 30;
    /// How long a thread may burn a core.
    Duration busy_time = std::chrono::minutes(3);
};

/// An abandoned thread cannot be ended alone: the plugin may hold locks, and its memory belongs to
/// the process. A thread that only waits costs little and is left alone. The process has to end if
/// such a thread burns a core for long, by its own CPU clock, or if the memory of the process
/// exceeds a limit while there is such a thread. The next start loses nothing. [any thread]
class AbandonedThreads : public std::enable_shared_from_this<AbandonedThreads> {
public:
    /// The sources of the figures; by default those of the machine.
    struct Sources {
        std::function<Duration()> now{};
        /// CPU time that a thread has used; absent: it has ended.
        std::function<std::optional<Duration>(clockid_t)> cpu_time{};
        std::function<std::uint64_t()> memory{};  ///< resident bytes of the process
    };
    explicit AbandonedThreads(AbandonedLimits limits = {}) : AbandonedThreads(limits, machine()) {}
    AbandonedThreads(AbandonedLimits limits, Sources sources)
        : limits_(limits), sources_(std::move(sources)) {}
    AbandonedThreads(const AbandonedThreads&) = delete;
    AbandonedThreads& operator=(const AbandonedThreads&) = delete;

    /// A thread is abandoned inside `hook` of the plugin. `cpu_clock` is that thread's, see
    /// pthread_getcpuclockid. The caller destroys the returned object when the call has returned,
    /// before the thread ends.
    [[nodiscard]] std::shared_ptr<void> add(std::string plugin, Hook hook, clockid_t cpu_clock);

    /// Why the process has to end now, as a sentence that names plugin and hook. Absent: the
    /// process may go on. To be called about once a second.
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

/// 90 % of the memory limit of this process's cgroup (memory.max). Absent: there is no limit, or
/// it cannot be read.
std::optional<std::uint64_t> cgroup_memory_limit();

}  // namespace capstan::plugin_runtime::loop
