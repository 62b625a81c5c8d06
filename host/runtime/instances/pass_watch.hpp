/// Between the thread that runs a pass and the one that watches it: which hook is under way, and
/// until when.
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

#include "runtime/instances/instance.hpp"
#include "runtime/loop/breadcrumbs.hpp"

namespace capstan::runtime::instances {

/// A hook that a pass did without, and why; Hook::start stands for all hooks of an instance that
/// has not started. Part of a pass's input: the same misses give the same decision again.
struct SkippedHook {
    PluginInstanceId instance;
    loop::Hook hook = loop::Hook::filter;
    std::string because{};  ///< "it did not return within its deadline of 500 ms"
    bool operator==(const SkippedHook&) const = default;
};

/// What a pass goes by where it does without `hook`: "its groups have no price".
std::string_view told_instead_of(loop::Hook hook) noexcept;

/// The miss as a sentence, with what applies instead: "acme: price is left out: it did not return
/// within its deadline of 500 ms; its groups have no price".
std::string miss_text(const SkippedHook& miss);

/// Thrown through a pass whose thread was abandoned, once the hook it was in has returned after
/// all: its answer is no longer waited for, and it must call no other hook.
struct AbandonedPass {};

/// One per run of a pass. The pass's thread keeps it alive, however late it comes back.
class PassWatch {
public:
    using RealTime = std::chrono::steady_clock::time_point;

    /// Hooks in `known` are left out.
    explicit PassWatch(std::vector<SkippedHook> known = {});
    PassWatch(const PassWatch&) = delete;
    PassWatch& operator=(const PassWatch&) = delete;

    // [pass thread]
    /// Keeps an instance as long as this lives; before its first `enter`.
    void admit(std::shared_ptr<PluginInstance> instance) {
        admitted_.push_back(std::move(instance));
    }
    /// Whether this pass is one in which the instance has not started: none of its hooks is called.
    bool is_absent(const PluginInstance& instance) const;
    /// Why this pass does without `hook`, the same whenever it is asked; NULL: the hook is called.
    /// What the instance leaves out now becomes a miss. Lent as long as this lives.
    const std::string* missed(PluginInstance& instance, loop::Hook hook);
    /// Has the watching thread run `work`, and waits for its end. Not inside a hook.
    void run_outside(std::function<void()> work);
    /// Around one call; both throw AbandonedPass.
    void enter(PluginInstance& instance, loop::Hook hook, RealTime deadline);
    void leave();

    // [any thread]
    bool is_abandoned() const noexcept { return turn_.load() == abandoned; }
    /// The hooks that were asked for and left out, in that order.
    std::vector<SkippedHook> skipped_hooks() const;

    // [watching thread]
    /// The hook whose deadline is past. The pass's thread is abandoned then, and the instance has
    /// been told.
    std::optional<SkippedHook> find_overdue(RealTime now);
    /// Runs what the pass's thread waits for; it must not throw.
    void serve();
    /// When to look again, at the latest.
    RealTime next_look(RealTime now) const;

private:
    static constexpr std::uint64_t abandoned = ~std::uint64_t{0};
    static bool is_inside(std::uint64_t turn) noexcept {
        return turn != abandoned && turn % 2 == 1;
    }

    struct Verdict {
        const PluginInstance* instance;
        loop::Hook hook;
        std::optional<std::string> because;  ///< nothing: the hook is called
    };
    std::optional<std::string> judge(PluginInstance& instance, loop::Hook hook) const;

    std::vector<std::shared_ptr<PluginInstance>> admitted_;
    const std::vector<SkippedHook> known_;
    std::deque<Verdict> verdicts_;  ///< of the pass's thread alone
    mutable std::mutex mutex_;
    std::vector<SkippedHook> skipped_;
    std::function<void()> outside_;  ///< what the pass's thread waits for; guarded by mutex_
    std::condition_variable served_;
    std::mutex abandoning_;  ///< held until everything about an abandoned call is in its place
    std::shared_ptr<void> abandoned_call_;  ///< guarded by it
    /// Odd: inside a hook. What describes the hook is written before it becomes so.
    std::atomic<std::uint64_t> turn_{0};
    std::atomic<PluginInstance*> instance_{nullptr};
    std::atomic<loop::Hook> hook_{loop::Hook::filter};
    std::atomic<RealTime> deadline_{};
    std::atomic<clockid_t> cpu_clock_{};  ///< of the pass's thread
};

}  // namespace capstan::runtime::instances
