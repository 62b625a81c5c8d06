/// A cloud for simulations, with groups, boot times, shortages and failures from the settings. It
/// only uses the host's clock, so it also runs in virtual time. If the host's wall clock is set
/// forward or back, the cloud's own clock is not affected.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>
#include <capstan/target_setter.hpp>

#include "config.hpp"
#include "group.hpp"
#include "group_history.hpp"
#include "nodes.hpp"
#include "removal_answers.hpp"
#include "saved_state.hpp"

namespace capstan::simulated {

/// Deterministic: equal settings and equal requests at equal times give equal answers.
///
/// With register_nodes the state of the cloud survives its process. Each request is saved in
/// capstan.state/1 before it is answered, and its consequences are computed again after a restart.
/// If no state was saved, the machines are those that have Node objects. Several processes may
/// share the saved state: each of them adopts what another one has saved.
class Simulated {
public:
    Simulated(Host host, Config config);
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    /// Replaces the settings. Groups that stay keep their machines. Removed groups and their
    /// machines are no longer listed; the machines and their nodes stay until a group with that id
    /// is configured again. May not run at the same time as another function.
    void reconfigure(Config config);

    /// With `notices`, schedules a request for a pass at each of the changes in the settings.
    Task<void> start();

    // On the instance's strand. Each call takes `latency` and takes effect at its end.
    Task<SharedCloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(NodeGroupId id);
    Task<MachineTypes> machine_types();
    Task<void> create(GroupPlan plan);
    Task<void> destroy(NodeGroupId id);

    // On a decision thread, possibly at the same time as the functions above.
    Result<PlannedGroup> new_group(const Call& call, const GroupPlan& plan) const;

private:
    /// By the cloud's own clock: the host's wall clock when this process began, and monotonic from
    /// then on.
    Time now() const { return began_ + (host_.monotonic() - began_count_); }
    static void announce_change(void* self, capstan_status status) noexcept;
    /// Waits for the latency of a call, then restores shared state and applies due events.
    Task<void> await_latency();
    /// Waits for the latency of a response to a change that took effect.
    Task<void> await_answer();
    /// The groups as the cloud lists them, by id: the current state, or that of `list_lag` ago.
    std::vector<const Group*> listed_groups();
    /// Begins a history for each group that has none.
    void begin_histories();
    void restore_histories(Time saved);
    /// Call after a change of the group, so that lagging lists show it later.
    void record_history(const Group& group);
    /// Restores the saved state, or else the state that the Node objects show.
    Task<void> restore();
    void restore_from(Ledger ledger);
    Ledger state_from_nodes(const JoinedNodes& nodes) const;
    Group begin_group(const GroupConfig& config, Time moment);
    int last_number_taken(const NodeGroupId& id) const;
    bool has_left(const JoinedNode& node) const;
    void save_state();
    /// Creates Node objects for running machines, and deletes those of machines that are gone.
    Task<void> register_nodes();
    /// The versions of the groups, by id.
    std::vector<std::uint64_t> versions() const;
    bool is_settled() const;
    /// The states of the machines, by the id of their group.
    using StatusesByGroup = std::map<std::string_view, std::vector<MachineStatus>>;
    StatusesByGroup machine_statuses() const;
    bool is_unknown_machine(const StatusesByGroup& machine_statuses, const JoinedNode& node) const;
    bool adopt_machines(const JoinedNodes& nodes);
    /// The changes of Node objects that are needed.
    struct Work {
        std::vector<JoinedNode> gone{};                ///< to delete
        std::map<std::string, std::string> missing{};  ///< to create: objects by name
        std::vector<std::string> unreadable{};         ///< nodes without a machine's providerID
        bool has_unknown_machines = false;  ///< some nodes are of machines not known to run
    };
    void report_unreadable(const std::vector<std::string>& names);
    std::optional<Work> followed_work();
    /// Adopts the unknown machines of `nodes` first.
    Work work_after_adoption(const JoinedNodes& nodes);
    Work work_for(const JoinedNodes& nodes) const;
    Group& group(const NodeGroupId& id);
    const GroupConfig* find_config(std::string_view id) const;
    const MachineTypeConfig* find_machine_type(std::string_view name) const;
    std::vector<GroupConfig> all_groups(const Config& config) const;
    Task<TargetSetter::Current> read_target(NodeGroupId id);
    Task<Resized> set_target(NodeGroupId id, int target, bool all_or_nothing);

    const Host host_;
    const Time began_;            ///< by the host's wall clock
    const Duration began_count_;  ///< the same time, by the monotonic clock
    Time start_;
    Config config_;
    Nodes nodes_;
    /// The versions of nodes and groups at which no Node object had to be changed.
    std::optional<std::pair<std::uint64_t, std::vector<std::uint64_t>>> settled_{};
    std::set<std::string> unreadable_{};  ///< the nodes that were reported
    /// The last view, and the versions of the groups that it shows.
    std::optional<std::pair<std::vector<std::uint64_t>, SharedCloudView>> last_view_{};
    std::optional<std::uint64_t> revision_{};  ///< of the saved state; absent: unknown
    std::map<std::string, Group, std::less<>> groups_;
    std::map<std::string, GroupHistory, std::less<>> histories_;  ///< empty without `list_lag`
    /// Groups that were removed from the settings and still have machines, by id.
    std::map<std::string, GroupRecord, std::less<>> removed_groups_;
    std::map<std::string, GroupPlan, std::less<>> made_plans_;  ///< of groups that were made, by id
    TargetSetter targets_;
    RemovalAnswers removed_;
};

}  // namespace capstan::simulated
