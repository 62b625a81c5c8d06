/// The optional interfaces beside a cloud, found for a pass.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <variant>

#include <capstan/abi/autoprovision.h>
#include <capstan/abi/cloud.h>
#include <capstan/cloud_provider.hpp>
#include <capstan/cloud_view.hpp>

#include "engine/policies.hpp"
#include "runtime/instances/hook_call.hpp"
#include "runtime/instances/hook_gate.hpp"
#include "runtime/instances/instance.hpp"
#include "runtime/instances/pass_watch.hpp"

namespace capstan::runtime::instances {

/// The interface `id`, kept by the watch; `unsupported`: there is none. [pass thread]
template <class Table>
Result<const Table*> find_companion(const std::shared_ptr<PluginInstance>& cloud, const char* id,
                                    PassWatch& watch) {
    CAPSTAN_TRY(const Table* const table, cloud->interface<Table>(id));
    if (table == nullptr)
        return fail(ErrorCode::unsupported, "plugin " + cloud->id() + " has no " + id);
    watch.admit(cloud);
    return table;
}

// A cloud plugin, asked.

/// Asked right before a cloud is asked to change something, on the thread that runs the host's
/// loop; an error: it may not be, because of that. NULL: it always may.
using ChangeGate = std::function<Result<void>()>;

/// The asynchronous side of one cloud. A call ends exactly once, on the host's side (see
/// Strand::post_to_host), with a copy of what the plugin said or with an error that names instance
/// and call: `deadline` when it took too long, `cancelled` when the instance stops, `internal` when
/// the plugin's answer makes no sense, `unavailable` at once while an earlier call does not return.
/// Calls beyond the instance's max_inflight wait for their turn; their time runs from then on. The
/// only client of its instance. [any thread]
class CloudClient : public std::enable_shared_from_this<CloudClient> {
public:
    template <class T>
    using Done = std::function<void(Result<T>)>;
    using View = std::shared_ptr<const CloudView>;

    /// `internal`: the instance is no cloud. Where the gate is closed, what would change something
    /// ends with its error, and the plugin does not hear of it.
    static Result<std::shared_ptr<CloudClient>> of(std::shared_ptr<PluginInstance> instance,
                                                   ChangeGate gate = {});

    /// Groups and machines as they are: `known` itself where the cloud says that once more, so that
    /// the pointer tells that there is nothing new. NULL: nothing is known. Deadline:
    /// limits.refresh_deadline. Once something was changed, or a change failed, the next one is
    /// CAPSTAN_REFRESH_UNCACHED.
    void refresh(View known, Done<View> done);
    // Deadline of the others: limits.call_deadline, or a minute.
    void increase(Resize resize, Done<Resized> done);
    void decrease_target(Resize resize, Done<Resized> done);
    void remove(Removal removal, Done<Removed> done);
    /// What a new node of the group will offer; `unsupported`: this cloud describes none.
    void describe(NodeGroupId group, Done<NodeTemplate> done);
    // `unsupported`: this cloud makes no groups.
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
    void ended();
    void hand_over(const std::shared_ptr<Call>& call, capstan_op op);
    void ask_again(const std::shared_ptr<Call>& call, capstan_op op);
    /// On the strand. `since`: the gate was open then.
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
};

/// The price of a new node of the group by the cloud's companion interface. `unsupported`: it knows
/// no prices; `not_found`: not this one's. [pass thread]
Result<Price> ask_price(const std::shared_ptr<PluginInstance>& cloud, const NodeGroup& group,
                        const NodeTemplate& node, const engine::CallContext& call_context,
                        PassWatch& watch);
/// What the cloud would make of a plan; `unsupported`: it makes no groups, or none like that. [pass
/// thread]
Result<PlannedGroup> ask_new_group(const std::shared_ptr<PluginInstance>& cloud,
                                   const GroupPlan& plan, const engine::CallContext& call_context,
                                   PassWatch& watch);
/// A group's own options; `unsupported`: it has none. [pass thread]
Result<GroupOptions> ask_options(const std::shared_ptr<PluginInstance>& cloud,
                                 const NodeGroup& group, const engine::CallContext& call_context,
                                 PassWatch& watch);

}  // namespace capstan::runtime::instances
