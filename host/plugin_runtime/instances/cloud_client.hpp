/// The asynchronous calls of a cloud plugin, and its optional interfaces that a pass calls.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <variant>

#include <capstan/abi/autoprovision.h>
#include <capstan/abi/cloud.h>
#include <capstan/cloud_provider.hpp>
#include <capstan/cloud_view.hpp>

#include "plugin_runtime/instances/hook_call.hpp"
#include "plugin_runtime/instances/hook_gate.hpp"
#include "plugin_runtime/instances/instance.hpp"
#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::plugin_runtime::instances {

/// The optional interface `id` of the cloud. The watch keeps the instance. `unsupported`: the cloud
/// does not have it. [pass thread]
template <class Table>
Result<const Table*> find_companion(const std::shared_ptr<PluginInstance>& cloud, const char* id,
                                    PassWatch& watch) {
    CAPSTAN_TRY(const Table* const table, cloud->interface<Table>(id));
    if (table == nullptr)
        return fail(ErrorCode::unsupported, "plugin " + cloud->id() + " does not implement " + id);
    watch.admit(cloud);
    return table;
}

// The asynchronous calls.

/// The provider_code of the error of a call that ended before the plugin was asked: it has
/// certainly changed nothing.
inline constexpr std::string_view not_asked = "NotAsked";

/// Called right before a plugin is asked for a change of its cloud, on the thread that runs the
/// host's loop. On an error the plugin is not asked. NULL: every change is allowed.
using ChangeGate = std::function<Result<void>()>;

/// Each call ends exactly once, on the host's side (see Strand::post_to_host): with a copy of the
/// plugin's answer, or with an error that names instance and call. The error is `deadline` when the
/// call took too long, `cancelled` when the instance stops, `internal` when the answer is invalid,
/// and at once `unavailable` while an earlier call is stuck. Calls beyond the instance's
/// limits.max_inflight wait; their deadlines count from the end of the wait. An instance has one
/// client.
///
/// After a throttled change, changes are sent one at a time until one succeeds. If that one is
/// throttled, too, one of the changes that wait for it is sent, each time another one. If that is
/// throttled as well, the others end as `cancelled` without being sent.
/// [any thread]
class CloudClient : public std::enable_shared_from_this<CloudClient> {
public:
    template <class T>
    using Done = std::function<void(Result<T>)>;
    using View = std::shared_ptr<const CloudView>;

    /// `internal`: the instance is no cloud. While the gate is closed, a change ends with the
    /// gate's error, and the plugin is not called.
    static Result<std::shared_ptr<CloudClient>> of(std::shared_ptr<PluginInstance> instance,
                                                   ChangeGate gate = {});

    struct Refresh {
        View known{};        ///< the last view; NULL: there is none
        bool probe = false;  ///< sends the flag CAPSTAN_REFRESH_PROBE
    };
    /// The current groups and machines. The answer is `known` itself if nothing has changed since.
    /// Deadline: limits.refresh_deadline. The first refresh after a change, even a failed one, has
    /// the flag CAPSTAN_REFRESH_UNCACHED.
    void refresh(Refresh refresh, Done<View> done);
    void refresh(View known, Done<View> done) {
        refresh(Refresh{.known = std::move(known)}, std::move(done));
    }
    // Deadline of the other calls: limits.call_deadline, or a minute.
    void increase(Resize resize, Done<Resized> done);
    void decrease_target(Resize resize, Done<Resized> done);
    void remove(Removal removal, Done<Removed> done);
    /// The template of the group's new nodes. `unsupported`: this cloud has no templates.
    void describe(NodeGroupId group, Done<NodeTemplate> done);
    // `unsupported`: this cloud does not create groups.
    void machine_types(Done<MachineTypes> done);
    void create(GroupPlan plan, Done<std::monostate> done);
    void destroy(NodeGroupId group, Done<std::monostate> done);
    bool makes_groups() const noexcept { return groups_ != nullptr; }

    const std::shared_ptr<PluginInstance>& instance() const noexcept { return instance_; }

private:
    struct Call;
    template <class T>
    using FromAbi = std::function<Result<T>(const void* result)>;
    using Start = std::function<capstan_status(capstan_op)>;
    struct Companions {
        const capstan_cloud_templates* templates = nullptr;   ///< NULL: none
        const capstan_cloud_autoprovision* groups = nullptr;  ///< NULL: none
    };
    CloudClient(std::shared_ptr<PluginInstance> instance, const capstan_cloud& cloud,
                Companions companions, ChangeGate gate);
    Result<void> ask_gate(loop::Hook hook) const;
    template <class T>
    void submit(loop::Hook hook, Duration timeout, std::uint32_t result_type, FromAbi<T> from_abi,
                Start start, Done<T> done);
    Duration call_deadline() const;
    // On the host's side.
    void begin(const std::shared_ptr<Call>& call);
    void give_up(Call& call, Error because);
    bool waits_for_probe(const std::shared_ptr<Call>& call);
    void take_change(Call& call, bool is_throttled, bool is_done);
    void send_second_probe(std::deque<std::shared_ptr<Call>> others);
    void ended();
    void hand_over(const std::shared_ptr<Call>& call, capstan_op op);
    void ask_again(const std::shared_ptr<Call>& call, capstan_op op);
    /// On the strand. `since`: when the gate was asked last.
    void call_plugin(const std::shared_ptr<Call>& call, capstan_op op, Duration since);

    const std::shared_ptr<PluginInstance> instance_;
    const capstan_cloud& cloud_;
    const capstan_cloud_templates* const templates_;   ///< NULL: none
    const capstan_cloud_autoprovision* const groups_;  ///< NULL: none
    const ChangeGate gate_;
    std::atomic<bool> has_changed_{false};  ///< a change has ended since the last refresh
    // On the host's side only.
    std::size_t under_way_ = 0;
    std::deque<std::shared_ptr<Call>> waiting_;
    bool is_throttled_ = false;  ///< a change was throttled, and none has succeeded since
    bool is_probing_ = false;    ///< a change finds out whether the cloud still throttles
    std::deque<std::shared_ptr<Call>> behind_probe_;
    std::size_t second_probes_ = 0;
};

/// The price of a new node of the group. `unsupported`: the cloud has no prices; `not_found`: it
/// has no price for this node. [pass thread]
Result<Price> ask_price(const std::shared_ptr<PluginInstance>& cloud, const NodeGroup& group,
                        const NodeTemplate& node, const PassCall& pass_call, PassWatch& watch);
/// The group that the cloud would create for a plan. `unsupported`: it creates no groups, or none
/// like that. [pass thread]
Result<PlannedGroup> ask_new_group(const std::shared_ptr<PluginInstance>& cloud,
                                   const GroupPlan& plan, const PassCall& pass_call,
                                   PassWatch& watch);
/// The options of the group. `unsupported`: the cloud has none for it. [pass thread]
Result<GroupOptions> ask_options(const std::shared_ptr<PluginInstance>& cloud,
                                 const NodeGroup& group, const PassCall& pass_call,
                                 PassWatch& watch);

}  // namespace capstan::plugin_runtime::instances
