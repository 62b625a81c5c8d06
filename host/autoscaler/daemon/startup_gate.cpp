#include "autoscaler/daemon/startup_gate.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr Duration hold_max = std::chrono::seconds(10);

}  // namespace

StartupGate::StartupGate(const plugin_runtime::services::KubeGateway* plugins, io::Loop& loop,
                         plugin_runtime::services::Logger& log)
    : plugins_(plugins), loop_(loop), log_(log), end_(loop.monotonic() + hold_max) {}

std::string StartupGate::awaited() const {
    std::string out;
    if (plugins_ == nullptr) return out;
    for (const std::string& watch : plugins_->early_watches().unsettled())
        out += (out.empty() ? "" : ", ") + watch;
    return out;
}

std::string StartupGate::reason() const {
    const std::string what = has_given_up_ ? std::string() : awaited();
    return what.empty() ? what : "not synced yet: " + what;
}

bool StartupGate::is_open() {
    if (reason().empty()) return true;
    if (loop_.monotonic() < end_) return false;
    has_given_up_ = true;
    log_.write(config::LogLevel::warn, "capstan",
               "starting passes; not synced after 10s: " + awaited());
    return true;
}

}  // namespace capstan::autoscaler::daemon
