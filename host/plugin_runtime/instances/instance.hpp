/// One instance of a plugin's class, made of one table of the configuration, from create to
/// destroy.
#pragma once

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/abi/plugin.h>
#include <capstan/requests.hpp>
#include <capstan/result.hpp>

#include "plugin_runtime/instances/hook_gate.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"
#include "plugin_runtime/services/host_context.hpp"

namespace capstan::plugin_runtime::instances {

struct InstanceSpec {
    const capstan_class* type = nullptr;    ///< lives as long as `library`
    std::shared_ptr<const void> library{};  ///< keeps the file loaded
    services::InstanceIdentity identity;
};

/// To be stopped before its last owner releases it. If `stop` ended with `deadline`, or was not
/// called after `start`, the plugin's side is never destroyed: it stays in memory with its library,
/// since a thread may still be running in it. [any thread] unless a function says otherwise.
class PluginInstance : public std::enable_shared_from_this<PluginInstance> {
public:
    using Done = std::function<void(Result<void>)>;

    /// `settings` are valid for their schema, and borrowed during this call only. An error names
    /// the instance and what its plugin did wrong; nothing of the instance is left then. [load]
    static Result<std::shared_ptr<PluginInstance>> create(
        const services::HostEnvironment& environment, InstanceSpec spec,
        const capstan_settings& settings);
    /// The same with a context of that identity. The caller may abandon the context when the plugin
    /// does not return.
    static Result<std::shared_ptr<PluginInstance>> create(
        std::shared_ptr<services::HostContext> context, InstanceSpec spec,
        const capstan_settings& settings);
    PluginInstance(const PluginInstance&) = delete;
    PluginInstance& operator=(const PluginInstance&) = delete;
    ~PluginInstance();

    // Each `done` is called on the host's side: see Strand::post_to_host. While a call into the
    // plugin is stuck, only `stop` is carried out: the other functions are `unavailable`.
    /// Once. After an error the instance can only be stopped.
    void start(Duration timeout, Done done, StartReason reason = StartReason::cold);
    /// Once, from any state: waits for hooks to return, asks a running plugin to stop, cancels its
    /// open callbacks and operations, and destroys the instance. `deadline`: something did not end
    /// in time, which the message names.
    void stop(Duration timeout, Done done, StopReason reason = StopReason::shutdown);
    /// The plugin's own check of credentials and permissions. It succeeds if the plugin has none.
    void self_check(Duration timeout, Done done);
    /// Hands new settings, in which only fields declared live differ, to the plugin once no hook is
    /// under way. `unsupported`: the plugin takes no settings while it runs. After an error the old
    /// settings stay in force, unless the message says that the plugin did not return in time.
    void reconfigure(std::shared_ptr<const capstan_settings> settings, Duration timeout, Done done);

    const std::string& id() const noexcept { return context_->id(); }
    std::string_view kind() const noexcept;
    bool is_running() const noexcept { return state_.load() == State::running; }
    /// Whether its decision hooks may be called by several threads at once.
    bool is_parallel() const noexcept { return type_->concurrency == CAPSTAN_CONCURRENCY_PARALLEL; }
    Duration call_deadline() const noexcept;
    HookGate& gate() noexcept { return gate_; }
    services::HostContext& context() const noexcept { return *context_; }

    /// The table of an interface. It has every function that is not optional. NULL: the instance
    /// does not have the interface. Valid until `stop`.
    template <class Table>
    Result<const Table*> interface(std::string_view interface_id) const {
        CAPSTAN_TRY(const void* const table, interface_table(interface_id));
        return static_cast<const Table*>(table);
    }

    /// Why a pass that begins now skips the decision hook, see HookBackoffs. Absent: it is called.
    /// Updates the hook's metric.
    std::optional<std::string> skip_reason(loop::Hook hook);
    /// A call of the decision hook has overrun its deadline and is abandoned; `cpu_clock` is the
    /// clock of its thread. The hook is skipped until the caller destroys the returned object,
    /// which it does after the call has returned, and longer if the hook is backed off.
    [[nodiscard]] std::shared_ptr<void> abandon_call(loop::Hook hook, clockid_t cpu_clock);
    /// A call of the decision hook ended within its deadline.
    void ended_in_time(loop::Hook hook);
    /// Whether a call that was abandoned has not returned.
    bool has_abandoned_calls() const { return hook_backoffs_.not_returned() > 0; }
    /// The hooks that are skipped now, with the reasons.
    std::vector<std::pair<loop::Hook, std::string>> skipped_hooks() const;

private:
    enum class State { created, starting, running, failed, stopping, stopped, stuck };
    PluginInstance(std::shared_ptr<services::HostContext> context, InstanceSpec spec,
                   const capstan_instance* made);
    static Result<const capstan_instance*> make(services::HostContext& context,
                                                const capstan_class& type,
                                                const capstan_settings& settings);

    Result<const void*> interface_table(std::string_view interface_id) const;
    /// A call of the plugin's `function` with a copy of the request, which lives as long as the
    /// call.
    template <class Request>
    std::function<capstan_status(capstan_op)> request_of(
        capstan_status (*function)(void*, capstan_op, const Request*) CAPSTAN_NOEXCEPT,
        const Request& request) const {
        return [function, self = instance_->self, request](capstan_op op) {
            return loop::distrusted(function)(self, op, &request);
        };
    }
    capstan_op ask(loop::Hook hook, std::function<capstan_status(capstan_op)> call,
                   Duration timeout, const Done& done);
    capstan_op ask_to_stop(Duration timeout, StopReason reason, const Done& done);
    Result<void> demand_free(loop::Hook hook) const;
    Done answering_once(Duration timeout, Done done);
    void reconfigure_now(const std::shared_ptr<const capstan_settings>& settings, Duration deadline,
                         const Done& done);
    Result<void> call_reconfigure(const capstan_settings& settings, Duration deadline);

    void begin_stop(bool ask_plugin, Duration timeout, StopReason reason);
    void stop_has_answered(Result<void> result);
    void go_on_stopping();
    std::string unfinished() const;
    std::optional<std::string> find_skip_reason(loop::Hook hook) const;
    void end_stop(State state, Result<void> result);
    void destroy();
    void retain();

    const std::shared_ptr<services::HostContext> context_;
    const capstan_class* const type_;
    const std::shared_ptr<const void> library_;
    const capstan_instance* instance_;  ///< NULL once destroyed
    HookGate gate_;
    HookBackoffs hook_backoffs_;
    std::atomic<State> state_{State::created};

    // Of `stop`.
    std::atomic<bool> stop_has_ended_{false};
    Done stop_done_;
    io::TimerId stop_timer_ = 0;
    capstan_op stop_op_ = 0;  // on the strand only, as what follows
    std::optional<Result<void>> stop_result_;
    bool nothing_is_open_ = false;
};

}  // namespace capstan::plugin_runtime::instances
