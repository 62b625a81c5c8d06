#include "plugin_runtime/loop/abandoned_threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

namespace capstan::plugin_runtime::loop {
namespace {

/// The share of its core that a busy thread uses at least. A plugin that polls uses less.
constexpr double busy_share = 0.8;

std::optional<Duration> thread_cpu_time(clockid_t clock) {
    std::timespec time{};
    if (::clock_gettime(clock, &time) != 0) return std::nullopt;
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::uint64_t resident_memory() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0, resident = 0;
    if (!(file >> pages >> resident)) return 0;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string whole_seconds(Duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

/// The path of this process's cgroup below its mount, as "0::/kubepods/pod1" has it.
std::string cgroup_path() {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("0::")) return line.substr(3);
    return {};
}

/// The first line of a file of this process's cgroup; empty: it cannot be read.
std::string cgroup_line(const std::string& name) {
    // A container's cgroup is mounted as the root of its own tree.
    for (const std::string& folder : {cgroup_path(), std::string()}) {
        std::ifstream file("/sys/fs/cgroup" + folder + "/" + name);
        std::string line;
        if (std::getline(file, line)) return line;
    }
    return {};
}

/// The share of a core that a thread can use at most, by the cgroup's cpu.max.
double core_share() {
    std::istringstream quota(cgroup_line("cpu.max"));
    double time = 0, period = 0;
    if (!(quota >> time >> period) || time <= 0 || period <= 0) return 1;
    return std::min(time / period, 1.0);
}

}  // namespace

AbandonedThreads::Sources AbandonedThreads::machine() {
    return {.now = [] { return Duration(std::chrono::steady_clock::now().time_since_epoch()); },
            .cpu_time = &thread_cpu_time,
            .memory = &resident_memory};
}

std::shared_ptr<void> AbandonedThreads::add(std::string plugin, Hook hook, clockid_t cpu_clock) {
    const Duration now = sources_.now();
    const std::lock_guard lock(mutex_);
    const auto at = threads_.insert(
        threads_.end(), Thread{.plugin = std::move(plugin),
                               .hook = hook,
                               .cpu_clock = cpu_clock,
                               .since = now,
                               .memory_before = sources_.memory(),
                               .read_at = now,
                               .cpu_then = sources_.cpu_time(cpu_clock).value_or(Duration(0))});
    return {nullptr, [self = shared_from_this(), at](void*) {
                const std::lock_guard guard(self->mutex_);
                self->threads_.erase(at);
            }};
}

std::optional<std::string> AbandonedThreads::reason_to_end() {
    const Duration now = sources_.now();
    const std::lock_guard lock(mutex_);
    for (Thread& thread : threads_) {
        std::optional<std::string> reason = memory_reason(thread, now);
        if (!reason) reason = busy_reason(thread, now);
        if (reason) return reason;
    }
    return std::nullopt;
}

std::optional<std::string> AbandonedThreads::memory_reason(const Thread& thread,
                                                           Duration now) const {
    const std::uint64_t memory = sources_.memory();
    const std::string begin = "plugin " + thread.plugin + ": " + std::string(name_of(thread.hook)) +
                              " timed out and has not returned for " +
                              whole_seconds(now - thread.since) +
                              ", and the memory of the process ";
    if (limits_.memory && memory >= *limits_.memory)
        return begin + "has reached " + mebibytes(memory) + "; the limit is " +
               mebibytes(*limits_.memory);
    if (memory >= thread.memory_before + limits_.memory_growth)
        return begin + "has grown from " + mebibytes(thread.memory_before) + " to " +
               mebibytes(memory) + " since";
    return std::nullopt;
}

/// Checks one interval after the other, each at least as long as the limit. So a thread that begins
/// to burn a core is found within twice the limit.
std::optional<std::string> AbandonedThreads::busy_reason(Thread& thread, Duration now) const {
    const Duration stretch = now - thread.read_at;
    if (stretch < limits_.busy_time) return std::nullopt;
    const std::optional<Duration> cpu = sources_.cpu_time(thread.cpu_clock);
    if (!cpu) return std::nullopt;
    const Duration used = *cpu - std::exchange(thread.cpu_then, *cpu);
    thread.read_at = now;
    static const double core = core_share();
    if (static_cast<double>(used.count()) <
        busy_share * core * static_cast<double>(stretch.count()))
        return std::nullopt;
    return "plugin " + thread.plugin + ": " + std::string(name_of(thread.hook)) +
           " timed out and has not returned for " + whole_seconds(now - thread.since) +
           ", and its thread has used " + whole_seconds(used) + " of CPU time in the last " +
           whole_seconds(stretch);
}

std::optional<std::uint64_t> cgroup_memory_limit() {
    std::istringstream limit(cgroup_line("memory.max"));  // "max": none
    std::uint64_t bytes = 0;
    if (!(limit >> bytes) || bytes == 0) return std::nullopt;
    return bytes / 10 * 9;
}

}  // namespace capstan::plugin_runtime::loop
