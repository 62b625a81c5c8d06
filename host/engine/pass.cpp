#include "engine/pass.hpp"

#include <algorithm>

#include "engine/health/backoff.hpp"
#include "engine/scale_up/report.hpp"
#include "engine/scale_up/scale_up.hpp"

namespace capstan::engine {
namespace {

std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
    return a && b ? std::min(a, b) : a ? a : b;
}

/// A back-off that ends is news only to pods that wait.
std::optional<Time> next_wake(const Scene& scene, const Memory& memory, const Decision& decision) {
    const std::optional<Time> time = earlier(scene.pending.wake_at, scene.health.wake_at);
    return decision.unhelped.empty() ? time : earlier(time, next_backoff_end(memory, scene.now));
}

}  // namespace

Outcome run_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                 const Settings& settings, const Circumstances& circumstances) {
    memory = remember(std::move(memory), snapshot, settings, circumstances.now);
    const Scene scene = make_scene(snapshot, memory, settings, circumstances.now);
    ScaleUp scale_up(scene, policies, circumstances);
    scale_up.run();
    Decision decision = make_decision(scale_up);
    const std::optional<Time> wake_at = next_wake(scene, memory, decision);
    return {std::move(decision), std::move(memory), wake_at};
}

}  // namespace capstan::engine
