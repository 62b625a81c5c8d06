#include "plugin_runtime/instances/pass_watch.hpp"

#include <pthread.h>

#include <algorithm>
#include <iterator>

namespace capstan::plugin_runtime::instances {

namespace {

/// How often the watching thread looks, and so the most by which it notices an overrun late.
constexpr auto look_interval = std::chrono::milliseconds(10);

clockid_t own_cpu_clock() {
    clockid_t clock{};
    return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : CLOCK_THREAD_CPUTIME_ID;
}

}  // namespace

PassWatch::PassWatch(std::vector<SkippedHook> known) : known_(std::move(known)) {
    // An instance that has not started has no hooks that could be called and skipped.
    std::ranges::copy_if(known_, std::back_inserter(skipped_),
                         [](const SkippedHook& miss) { return miss.hook == loop::Hook::start; });
}

std::string_view fallback_of(loop::Hook hook) noexcept {
    switch (hook) {
        case loop::Hook::filter: return "its on_error in pipeline.scale_up.expanders applies";
        case loop::Hook::similar: return "it finds no groups similar";
        case loop::Hook::bucket:
        case loop::Hook::equivalence: return "templates are compared one by one";
        case loop::Hook::split: return "only the chosen group grows";
        case loop::Hook::price: return "its groups have no price";
        case loop::Hook::options: return "its groups use the options of the configuration";
        case loop::Hook::new_group: return "no new groups are planned in this cloud";
        case loop::Hook::suggest: return "it suggests no new groups";
        case loop::Hook::owns: return "its empty groups are kept";
        default: return "the call counts as failed";
    }
}

std::string skipped_hook_text(const SkippedHook& skipped) {
    if (skipped.hook == loop::Hook::start)
        return skipped.instance.value() + ": " + skipped.because + "; decided without it";
    return skipped.instance.value() + ": " + std::string(loop::name_of(skipped.hook)) +
           " is skipped: " + skipped.because + "; " + std::string(fallback_of(skipped.hook));
}

std::optional<std::string> PassWatch::judge(PluginInstance& instance, loop::Hook hook) const {
    const PluginInstanceId& id = instance.context().identity().id;
    const auto known = std::ranges::find_if(
        known_, [&](const SkippedHook& m) { return m.hook == hook && m.instance == id; });
    return known != known_.end() ? std::optional(known->because) : instance.skip_reason(hook);
}

bool PassWatch::is_absent(const PluginInstance& instance) const {
    return std::ranges::any_of(known_, [&](const SkippedHook& miss) {
        return miss.hook == loop::Hook::start && miss.instance == instance.context().identity().id;
    });
}

const std::string* PassWatch::skip_reason(PluginInstance& instance, loop::Hook hook) {
    auto at = std::ranges::find_if(
        verdicts_, [&](const Verdict& v) { return v.instance == &instance && v.hook == hook; });
    const bool is_new = at == verdicts_.end();
    if (is_new) {
        verdicts_.push_back({&instance, hook, judge(instance, hook)});
        at = std::prev(verdicts_.end());
    }
    const std::optional<std::string>& because = at->because;
    if (!because) return nullptr;
    if (is_new) {
        const std::lock_guard lock(mutex_);
        skipped_.push_back({instance.context().identity().id, hook, *because});
    }
    return &*because;
}

void PassWatch::run_outside(std::function<void()> work) {
    std::unique_lock lock(mutex_);
    outside_ = std::move(work);
    served_.wait(lock, [this] { return !outside_; });
}

void PassWatch::serve() {
    std::unique_lock lock(mutex_);
    if (!outside_) return;
    // It is not moved: the waiting thread returns once outside_ is empty.
    const std::function<void()>& work = outside_;
    lock.unlock();
    work();
    lock.lock();
    outside_ = nullptr;
    served_.notify_all();
}

void PassWatch::enter(PluginInstance& instance, loop::Hook hook, RealTime deadline) {
    std::uint64_t turn = turn_.load();
    if (turn == abandoned) throw AbandonedPass();
    instance_.store(&instance);
    hook_.store(hook);
    deadline_.store(deadline);
    cpu_clock_.store(own_cpu_clock());
    turn_.store(turn + 1);  // a thread is abandoned inside a hook only
}

void PassWatch::leave() {
    std::uint64_t turn = turn_.load();
    if (turn != abandoned && turn_.compare_exchange_strong(turn, turn + 1)) return;
    {
        const std::lock_guard lock(abandoning_);
        abandoned_call_.reset();
    }
    throw AbandonedPass();
}

std::vector<SkippedHook> PassWatch::skipped_hooks() const {
    const std::lock_guard lock(mutex_);
    return skipped_;
}

std::optional<SkippedHook> PassWatch::find_overdue(RealTime now) {
    std::uint64_t turn = turn_.load();
    if (!is_inside(turn) || now < deadline_.load()) return std::nullopt;
    PluginInstance& instance = *instance_.load();
    const loop::Hook hook = hook_.load();
    const clockid_t cpu_clock = cpu_clock_.load();
    const std::lock_guard lock(abandoning_);
    // Fails when the hook has returned meanwhile; the values read may be those of another hook
    // then.
    if (!turn_.compare_exchange_strong(turn, abandoned)) return std::nullopt;
    abandoned_call_ = instance.abandon_call(hook, cpu_clock);
    return SkippedHook{instance.context().identity().id, hook,
                       "it did not return within its deadline of " +
                           std::to_string(instance.call_deadline() / std::chrono::milliseconds(1)) +
                           " ms"};
}

PassWatch::RealTime PassWatch::next_look(RealTime now) const {
    const RealTime usual = now + look_interval;
    return is_inside(turn_.load()) ? std::min(usual, std::max(deadline_.load(), now)) : usual;
}

}  // namespace capstan::plugin_runtime::instances
