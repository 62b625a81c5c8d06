/// Between the thread that runs a pass and the one that watches it: which hook is under way, and
/// until when.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/ids.hpp>

#include "runtime/instances/hook.hpp"
#include "runtime/instances/instance.hpp"

namespace capstan::runtime {

/// An instance that a pass did without, because `hook` had overrun its deadline, or because it had
/// not started (Hook::start). Part of a pass's input: the same misses give the same decision again.
struct HookMiss {
    PluginInstanceId instance;
    Hook hook = Hook::filter;
    bool operator==(const HookMiss&) const = default;
};

/// Thrown through a pass whose thread was abandoned, once the hook it was in has returned after
/// all: nobody waits for its answer, and it must not ask anybody else.
struct AbandonedPass {};

/// One per run of a pass. The pass's thread keeps it alive, however late it comes back.
class PassWatch {
public:
    using RealTime = std::chrono::steady_clock::time_point;

    explicit PassWatch(std::vector<HookMiss> known = {}) : misses_(std::move(known)) {}
    PassWatch(const PassWatch&) = delete;
    PassWatch& operator=(const PassWatch&) = delete;

    // [pass thread]
    /// Keeps an instance as long as this lives; before its first `enter`.
    void admit(std::shared_ptr<PluginInstance> instance) {
        admitted_.push_back(std::move(instance));
    }
    /// The hook for which this pass does without `instance`; nothing: it is asked. Quarantined
    /// instances become misses.
    std::optional<Hook> missed(const PluginInstance& instance);
    /// Around one hook; both throw AbandonedPass.
    void enter(PluginInstance& instance, Hook hook, RealTime deadline);
    void leave();

    // [any thread]
    bool is_abandoned() const noexcept { return turn_.load() == abandoned; }
    std::vector<HookMiss> misses() const;

    // [watching thread]
    struct Overdue {
        PluginInstance* instance;  ///< kept by this
        Hook hook;
    };
    /// The hook whose deadline is past; then the pass's thread is abandoned.
    std::optional<Overdue> find_overdue(RealTime now);
    /// When to look again, at the latest.
    RealTime next_look(RealTime now) const;

private:
    static constexpr std::uint64_t abandoned = ~std::uint64_t{0};
    static bool is_inside(std::uint64_t turn) noexcept {
        return turn != abandoned && turn % 2 == 1;
    }

    std::vector<std::shared_ptr<PluginInstance>> admitted_;
    mutable std::mutex mutex_;
    std::vector<HookMiss> misses_;
    /// Odd: inside a hook. What describes the hook is written before it becomes so.
    std::atomic<std::uint64_t> turn_{0};
    std::atomic<PluginInstance*> instance_{nullptr};
    std::atomic<Hook> hook_{Hook::filter};
    std::atomic<RealTime> deadline_{};
};

}  // namespace capstan::runtime
