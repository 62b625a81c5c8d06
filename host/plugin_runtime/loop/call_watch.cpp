#include "plugin_runtime/loop/call_watch.hpp"

#include <utility>

#include <capstan/duration.hpp>

namespace capstan::plugin_runtime::loop {
namespace {

Duration::rep moment_of_call() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

}  // namespace

std::string HeldCall::sentence() const {
    return "plugin " + plugin + ": " + std::string(name_of(hook)) + " has blocked its thread for " +
           format_rough_duration(lasts);
}

std::optional<HeldCall> CallWatch::held(Duration at_least) const {
    const Duration::rep since = since_.load();
    if (since == 0) return std::nullopt;
    const Duration lasts(moment_of_call() - since);
    if (lasts < at_least) return std::nullopt;
    return HeldCall{options_.plugin, options_.kind, hook_.load(), lasts};
}

StrandCall::StrandCall(CallWatch& watch, CallMarkers& markers, Hook hook)
    : watch_(watch), marker_(markers, hook) {
    watch_.hook_.store(hook);
    watch_.since_.store(moment_of_call());
}

StrandCall::~StrandCall() { watch_.since_.store(0); }

std::shared_ptr<CallWatch> CallWatches::add(std::string plugin, std::string kind) {
    auto out = std::make_shared<CallWatch>(CallWatch::Options{
        .plugin = std::move(plugin), .kind = std::move(kind), .stuck_after = stuck_after_});
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const auto& watch) { return watch.expired(); });
    all_.push_back(out);
    return out;
}

std::vector<HeldCall> CallWatches::held(Duration at_least) const {
    std::vector<HeldCall> out;
    const std::lock_guard lock(mutex_);
    for (const auto& weak : all_) {
        const auto watch = weak.lock();
        if (!watch) continue;
        if (auto call = watch->held(at_least)) out.push_back(*std::move(call));
    }
    return out;
}

}  // namespace capstan::plugin_runtime::loop
