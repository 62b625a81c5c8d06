/// Calls a controller plugin while this host leads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/controller.hpp>

#include "plugin_runtime/instances/instance.hpp"

namespace capstan::plugin_runtime::instances {

/// What is reported of a controller.
struct ControllerStatus {
    bool is_leading = false;
    std::uint64_t reconciles = 0, failures = 0;
    std::optional<Duration> took{};    ///< of the last reconcile that has ended
    std::optional<Reconciled> last{};  ///< of the last one that succeeded
    std::optional<Error> error{};      ///< of the last one, if it failed
};

/// Decides when one controller is called, as abi/controller.h says: when this host begins to lead,
/// when the controller asks for it, at the time that its last reconcile named, after ten minutes at
/// the latest, and after failures with growing delays. Only one call is under way at a time. An
/// instance has one client. [any thread]
class ControllerClient : public std::enable_shared_from_this<ControllerClient> {
public:
    /// Called after each reconcile, on the host's side: see Strand::post_to_host.
    using OnEnd = std::function<void(const ControllerStatus&)>;
    /// `internal`: the instance is no controller.
    static Result<std::shared_ptr<ControllerClient>> of(std::shared_ptr<PluginInstance> instance,
                                                        OnEnd on_end = {});
    ~ControllerClient();
    ControllerClient(const ControllerClient&) = delete;
    ControllerClient& operator=(const ControllerClient&) = delete;

    /// True: the controller is called from now on. False: it is not called any more, and a
    /// reconcile under way is cancelled with its requests.
    void lead(bool leads);
    ControllerStatus status() const;
    const std::shared_ptr<PluginInstance>& instance() const noexcept { return instance_; }

private:
    ControllerClient(std::shared_ptr<PluginInstance> instance, const capstan_controller& controller,
                     OnEnd on_end);
    // On the host's side.
    void begin_leading();
    void stop_leading();
    void want(Duration within);
    void set_timer();
    void call();
    void call_plugin(capstan_op op, const capstan_reconcile& what);  ///< on the strand
    void ended(Duration began, Result<Reconciled> result);
    Duration next_after(const Result<Reconciled>& result);
    Duration now() const { return instance_->context().clock().monotonic(); }

    const std::shared_ptr<PluginInstance> instance_;
    const capstan_controller& controller_;
    const OnEnd on_end_;
    mutable std::mutex mutex_;
    ControllerStatus status_;  ///< guarded by it
    // On the host's side only.
    bool is_leading_ = false;
    bool is_first_ = false;
    bool is_under_way_ = false;
    capstan_op op_ = 0;
    int failures_ = 0;               ///< in a row
    std::optional<Duration> due_{};  ///< when the next reconcile is due, on the clock of deadlines
    io::TimerId timer_ = 0;
};

}  // namespace capstan::plugin_runtime::instances
