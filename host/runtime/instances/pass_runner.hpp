/// Runs a pass so that no plugin can hold it up.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/instances/pass_watch.hpp"

namespace capstan::runtime::instances {

/// What a pass came to, and without which hooks.
template <class R>
struct WatchedResult {
    R result;
    std::vector<SkippedHook>
        skipped_hooks;  ///< give them to `run_watched` to come to the same result again
    int reruns = 0;
};

// The thread that passes are run on, one after the other.

/// Begun with the first task, and kept for the next one. Used by one thread at a time.
class PassThread {
public:
    using RealTime = std::chrono::steady_clock::time_point;
    using Task = std::function<void()>;

    PassThread() = default;
    PassThread(const PassThread&) = delete;
    PassThread& operator=(const PassThread&) = delete;
    /// No task is under way.
    ~PassThread();

    /// After the last task has ended, or was left to itself. The task must not throw;
    /// std::system_error comes of it where no thread is to be had.
    void start(Task task);
    /// Until the task has ended and nothing of it is left; false: that takes longer than `until`.
    bool wait(RealTime until);
    /// Leaves the task to itself: its thread ends with it, however late, and the next task gets
    /// another one.
    void abandon();

private:
    struct Worker;
    std::shared_ptr<Worker> desk_{};  ///< NULL: there is no thread
};

namespace detail {

struct ErasedResult {
    std::shared_ptr<void> result;
    std::vector<SkippedHook> skipped_hooks;
    int reruns = 0;
};
using ErasedPass = std::function<std::shared_ptr<void>(PassWatch&)>;
ErasedResult run_watched(PassThread& thread, const ErasedPass& pass,
                         std::vector<SkippedHook> known);

}  // namespace detail

/// Runs `pass` on `thread` and waits for it. When one of its hooks overruns the call deadline of
/// its instance, it is left to itself there, the overrun is counted and said, and `pass` is called
/// again without that hook of that instance; so at most once per hook. Hooks in `known` are left
/// out to begin with, and so is what an instance leaves out at the moment (HookRests).
///
/// `pass` is copied for each call and must own what it uses, or share it: what was left to itself
/// may look at it until the process ends. Equal arguments and misses must give an equal result.
/// What it throws comes out of here.
template <class R>
WatchedResult<R> run_watched(PassThread& thread, std::function<R(PassWatch&)> pass,
                             std::vector<SkippedHook> known = {}) {
    const detail::ErasedPass erased =
        [pass = std::move(pass)](PassWatch& watch) -> std::shared_ptr<void> {
        return std::make_shared<R>(pass(watch));
    };
    detail::ErasedResult ended = detail::run_watched(thread, erased, std::move(known));
    return {std::move(*std::static_pointer_cast<R>(ended.result)), std::move(ended.skipped_hooks),
            ended.reruns};
}

/// The same on a thread of its own.
template <class R>
WatchedResult<R> run_watched(std::function<R(PassWatch&)> pass,
                             std::vector<SkippedHook> known = {}) {
    PassThread thread;
    return run_watched<R>(thread, std::move(pass), std::move(known));
}

}  // namespace capstan::runtime::instances
