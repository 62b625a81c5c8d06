/// Shared by the thread that runs a pass and the thread that watches it: which hook is under way,
/// and its deadline.
///
/// The two threads agree on one number, the turn: it is odd while the pass is inside a hook and
/// even between hooks. The pass's thread raises it at the entry and at the exit of a hook. When the
/// deadline has passed, the watching thread replaces the odd number that it has seen by a special
/// value, with a compare-and-exchange. Only one of the two succeeds: either the hook has returned
/// in time and the pass goes on, or the run is abandoned and the pass's thread finds that out at
/// its exit from the hook. So no hook waits for a lock, and no thread is abandoned outside a hook.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/ids.hpp>

#include "plugin_runtime/instances/instance.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::plugin_runtime::instances {

/// A hook that a pass skipped, and why. Hook::start stands for all hooks of an instance that has
/// not started. Part of a pass's input: equal skipped hooks give an equal decision.
struct SkippedHook {
    PluginInstanceId instance;
    loop::Hook hook = loop::Hook::filter;
    std::string because{};  ///< "it did not return within its deadline of 500 ms"
    bool operator==(const SkippedHook&) const = default;
};

/// What applies in a pass that skips `hook`: "its groups have no price".
std::string_view fallback_of(loop::Hook hook) noexcept;

/// A sentence about the skipped hook, with what applies instead: "acme: price is skipped: it did
/// not return within its deadline of 500 ms; its groups have no price".
std::string skipped_hook_text(const SkippedHook& skipped);

/// Thrown on the abandoned thread of a pass once its hook has returned after all. No thread waits
/// for the result of that run any more, and it must call no other hook.
struct AbandonedPass {};

/// One object per run of a pass. The pass's thread shares it, however late its hook returns.
class PassWatch {
public:
    using RealTime = std::chrono::steady_clock::time_point;

    /// Hooks in `known` are skipped.
    explicit PassWatch(std::vector<SkippedHook> known = {});
    PassWatch(const PassWatch&) = delete;
    PassWatch& operator=(const PassWatch&) = delete;

    // [pass thread]
    /// Keeps the instance as long as this object lives. To be called before the instance's first
    /// `enter`.
    void admit(std::shared_ptr<PluginInstance> instance) {
        admitted_.push_back(std::move(instance));
    }
    /// Whether the instance counts as not started in this pass: none of its hooks is called.
    bool is_absent(const PluginInstance& instance) const;
    /// Why this pass skips `hook`; NULL: the hook is called. The answer is decided at the first
    /// call and stays the same during the pass. It is valid as long as this object lives.
    const std::string* skip_reason(PluginInstance& instance, loop::Hook hook);
    /// Runs `work` on the watching thread and waits for its end. Not to be called inside a hook.
    void run_outside(std::function<void()> work);
    /// At the entry and the exit of one call of a hook. Both throw AbandonedPass if this run was
    /// abandoned.
    void enter(PluginInstance& instance, loop::Hook hook, RealTime deadline);
    void leave();

    // [any thread]
    bool is_abandoned() const noexcept { return turn_.load() == abandoned; }
    /// The hooks that this run has skipped, in the order in which it came to them. The instances
    /// that have not started come first.
    std::vector<SkippedHook> skipped_hooks() const;

    // [watching thread]
    /// The hook that has passed its deadline. If there is one, the pass's thread is abandoned, and
    /// the instance knows of it (abandon_call).
    std::optional<SkippedHook> find_overdue(RealTime now);
    /// Runs the `work` that the pass's thread waits for, if any. `work` must not throw.
    void serve();
    /// When to call `find_overdue` again, at the latest.
    RealTime next_look(RealTime now) const;

private:
    static constexpr std::uint64_t abandoned = ~std::uint64_t{0};
    static bool is_inside(std::uint64_t turn) noexcept {
        return turn != abandoned && turn % 2 == 1;
    }

    struct Verdict {
        const PluginInstance* instance;
        loop::Hook hook;
        std::optional<std::string> because;  ///< absent: the hook is called
    };
    std::optional<std::string> judge(PluginInstance& instance, loop::Hook hook) const;

    std::vector<std::shared_ptr<PluginInstance>> admitted_;
    const std::vector<SkippedHook> known_;
    std::deque<Verdict> verdicts_;  ///< used by the pass's thread alone
    mutable std::mutex mutex_;
    std::vector<SkippedHook> skipped_;
    std::function<void()> outside_;  ///< the `work` of run_outside; guarded by mutex_
    std::condition_variable served_;
    std::mutex abandoning_;                 ///< held while an abandonment is recorded
    std::shared_ptr<void> abandoned_call_;  ///< guarded by abandoning_
    /// Odd: inside a hook. The members below are written before the turn becomes odd.
    std::atomic<std::uint64_t> turn_{0};
    std::atomic<PluginInstance*> instance_{nullptr};
    std::atomic<loop::Hook> hook_{loop::Hook::filter};
    std::atomic<RealTime> deadline_{};
    std::atomic<clockid_t> cpu_clock_{};  ///< of the pass's thread
};

}  // namespace capstan::plugin_runtime::instances
