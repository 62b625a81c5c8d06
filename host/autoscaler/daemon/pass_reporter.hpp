/// Reports a pass to the log, metrics, the admin port, the status and events.
#pragma once

#include <functional>
#include <memory>

#include "autoscaler/daemon/config_watch.hpp"
#include "autoscaler/daemon/daemon_metrics.hpp"
#include "autoscaler/daemon/debug_snapshot.hpp"
#include "autoscaler/daemon/decision_history.hpp"
#include "autoscaler/daemon/decision_log.hpp"
#include "autoscaler/daemon/event_reporter.hpp"
#include "autoscaler/daemon/health_check.hpp"
#include "autoscaler/daemon/loop_services.hpp"
#include "autoscaler/daemon/status_writer.hpp"
#include "autoscaler/daemon/watch_outage.hpp"
#include "autoscaler/pass_visitor.hpp"

namespace capstan::autoscaler::daemon {

/// The state of the daemon that its metrics, its admin port and its probes show.
struct ObservableState {
    ObservableState(const config::Admin& limits, prometheus::Registry& registry)
        : health(limits), metrics(registry), config([this](bool is_in_force, Time taken_over) {
              metrics.set_config(is_in_force, taken_over);
          }) {}

    HealthCheck health;
    DecisionHistory history{};
    /// Shared with timers, which may outlive the daemon.
    std::shared_ptr<DebugSnapshot> snapshot = std::make_shared<DebugSnapshot>();
    DaemonMetrics metrics;
    ConfigStatusKeeper config;
};

/// [passes' thread]
class PassReporter final : public PassVisitor {
public:
    /// Borrows its arguments. `services` is used on the loop's thread.
    PassReporter(PluginHost& host, config::LogFormat format, ObservableState& observable,
                 std::shared_ptr<LoopServices> services)
        : host_(host),
          observable_(observable),
          log_(host.log(), format),
          failures_(
              host.log(),
              {.source = "pass", .failed = "pass failed", .succeeded = "passes succeed again"}),
          services_(std::move(services)),
          events_(std::make_shared<EventReporter>(host.loop(), host.log(), observable.metrics)) {}

    /// A term began.
    void begun();
    void on_begin() override;
    void on_pass(const std::shared_ptr<const PassReport>& pass) override;
    void on_skip() override;
    void on_failure(const Error& error, Duration took) override;
    /// A new configuration is in force.
    void reloaded() { log_.reloaded(); }

private:
    void write_status(std::string text, Time wall);

    PluginHost& host_;
    ObservableState& observable_;
    DecisionLog log_;
    FailureLog failures_;
    StatusMaker status_{};
    std::shared_ptr<LoopServices> services_;
    const std::shared_ptr<EventReporter> events_;  ///< used on the loop's thread
};

}  // namespace capstan::autoscaler::daemon
