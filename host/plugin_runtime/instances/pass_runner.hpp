/// Runs a pass so that no plugin can hold it up. A hook that hangs cannot be interrupted, but a
/// decision can be made again: the pass runs on a thread of its own, and when one of its hooks
/// overruns its deadline, that thread is abandoned and the pass runs again on another thread
/// without the hook. Each hook can cost one more run at most, so the pass ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::plugin_runtime::instances {

/// The result of a pass, and the hooks that it skipped.
template <class R>
struct WatchedResult {
    R result;
    /// With these as `known`, run_watched has the same result again.
    std::vector<SkippedHook> skipped_hooks;
    int reruns = 0;
};

/// The thread that passes run on, one after the other. It starts with the first task and is kept
/// for the next one. Used by one thread at a time.
class PassThread {
public:
    using RealTime = std::chrono::steady_clock::time_point;
    using Task = std::function<void()>;

    PassThread() = default;
    PassThread(const PassThread&) = delete;
    PassThread& operator=(const PassThread&) = delete;
    /// Not to be called while a task is under way.
    ~PassThread();

    /// Starts a task, which must not throw. The previous task must have ended or been abandoned.
    /// Throws std::system_error if no thread can be created.
    void start(Task task);
    /// Waits until the task has ended and was destroyed. False: it has not by `until`.
    bool wait(RealTime until);
    /// Abandons the task: its thread ends when the task ends, however late, and the next task gets
    /// another thread.
    void abandon();

private:
    struct Worker;
    std::shared_ptr<Worker> worker_{};  ///< NULL: there is no thread
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
/// its instance, that run is abandoned, the overrun is counted and logged, and `pass` runs again
/// without that hook of that instance. Hooks in `known` are skipped from the first run on, and so
/// are hooks that their instance skips at the moment (HookBackoffs).
///
/// `pass` is copied for each run and must own or share what it uses: an abandoned run may use it
/// until the process ends. Equal arguments and equal skipped hooks must give an equal result. An
/// exception of `pass` is thrown here.
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

}  // namespace capstan::plugin_runtime::instances
