#include "autoscaler/daemon/stuck_calls.hpp"

#include <algorithm>

#include <capstan/abi/controller.h>

namespace capstan::autoscaler::daemon {
namespace {

constexpr Duration look_interval = std::chrono::seconds(1);
/// Between two times that the Lease is handed over.
constexpr Duration hand_over_pause = std::chrono::minutes(10);

}  // namespace

StuckCalls::StuckCalls(io::Loop& loop, prometheus::Registry& registry, Options options)
    : loop_(loop),
      seconds_(prometheus::BuildGauge()
                   .Name("capstan_plugin_stuck_seconds")
                   .Help("Time for which a stuck call has blocked its plugin's thread.")
                   .Register(registry)),
      options_(std::move(options)) {}

StuckCalls::~StuckCalls() {
    if (timer_) loop_.cancel(*timer_);
    update_gauges({});
}

void StuckCalls::watch(const plugin_runtime::loop::CallWatches& calls) {
    look(calls.stuck());
    timer_ = loop_.after(look_interval, [this, &calls] { watch(calls); });
}

void StuckCalls::look(const std::vector<plugin_runtime::loop::HeldCall>& stuck) {
    update_gauges(stuck);
    decide(stuck);
}

void StuckCalls::update_gauges(const std::vector<plugin_runtime::loop::HeldCall>& stuck) {
    std::erase_if(gauges_, [&](const auto& entry) {
        const bool is_stuck =
            std::ranges::any_of(stuck, [&](const plugin_runtime::loop::HeldCall& call) {
                return Key(call.plugin, call.hook) == entry.first;
            });
        if (!is_stuck) seconds_.Remove(entry.second);
        return !is_stuck;
    });
    for (const plugin_runtime::loop::HeldCall& call : stuck) {
        prometheus::Gauge*& gauge = gauges_[Key(call.plugin, call.hook)];
        if (gauge == nullptr)
            gauge =
                &seconds_.Add({{"plugin", call.plugin},
                               {"hook", std::string(plugin_runtime::loop::name_of(call.hook))}});
        gauge->Set(std::chrono::duration<double>(call.lasts).count());
    }
}

bool StuckCalls::counts(const plugin_runtime::loop::HeldCall& call) const {
    return call.lasts >= options_.hand_over_after &&
           (options_.is_of_controllers || call.kind != CAPSTAN_KIND_CONTROLLER);
}

void StuckCalls::decide(const std::vector<plugin_runtime::loop::HeldCall>& stuck) {
    const auto stuck_call = std::ranges::find_if(
        stuck, [this](const plugin_runtime::loop::HeldCall& call) { return counts(call); });
    if (stuck_call == stuck.end()) {
        if (!std::exchange(is_back_, true)) options_.come_back();
        return;
    }
    const Duration now = loop_.monotonic();
    if (handed_over_at_ && now - *handed_over_at_ < hand_over_pause) return;
    if (!options_.hand_over(stuck_call->sentence())) return;
    handed_over_at_ = now;
    is_back_ = false;
}

}  // namespace capstan::autoscaler::daemon
