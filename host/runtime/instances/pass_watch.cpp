#include "runtime/instances/pass_watch.hpp"

#include <algorithm>

namespace capstan::runtime {

namespace {

/// How often the watching thread looks: a hook is at most so much late before it is noticed.
constexpr auto look_interval = std::chrono::milliseconds(10);

}  // namespace

std::optional<Hook> PassWatch::missed(const PluginInstance& instance) {
    const std::lock_guard lock(mutex_);
    const PluginInstanceId& id = instance.context().identity().id;
    const auto at = std::find_if(misses_.begin(), misses_.end(),
                                 [&](const HookMiss& m) { return m.instance == id; });
    if (at != misses_.end()) return at->hook;
    const std::optional<Hook> quarantined = instance.quarantined_by();
    if (quarantined) misses_.push_back({id, *quarantined});
    return quarantined;
}

void PassWatch::enter(PluginInstance& instance, Hook hook, RealTime deadline) {
    std::uint64_t turn = turn_.load();
    if (turn == abandoned) throw AbandonedPass();
    instance_.store(&instance);
    hook_.store(hook);
    deadline_.store(deadline);
    turn_.store(turn + 1);  // nobody abandons a thread that is not inside a hook
}

void PassWatch::leave() {
    std::uint64_t turn = turn_.load();
    if (turn == abandoned || !turn_.compare_exchange_strong(turn, turn + 1)) throw AbandonedPass();
}

std::vector<HookMiss> PassWatch::misses() const {
    const std::lock_guard lock(mutex_);
    return misses_;
}

std::optional<PassWatch::Overdue> PassWatch::find_overdue(RealTime now) {
    std::uint64_t turn = turn_.load();
    if (!is_inside(turn) || now < deadline_.load()) return std::nullopt;
    const Overdue overdue{instance_.load(), hook_.load()};
    // Fails when the hook has returned meanwhile: then what was read may belong to another one.
    if (!turn_.compare_exchange_strong(turn, abandoned)) return std::nullopt;
    return overdue;
}

PassWatch::RealTime PassWatch::next_look(RealTime now) const {
    const RealTime usual = now + look_interval;
    return is_inside(turn_.load()) ? std::min(usual, std::max(deadline_.load(), now)) : usual;
}

}  // namespace capstan::runtime
