/// A cloud for simulations: groups, boot times, shortages and failures from the settings. It knows
/// no time but the host's clock, so that a day takes as long as the host's clock does. Where that
/// is set forward or back, the cloud's own goes on evenly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>

#include "answers.hpp"
#include "config.hpp"
#include "group.hpp"
#include "group_past.hpp"
#include "ledger.hpp"
#include "nodes.hpp"

namespace capstan::simulated {

/// Equal settings and equal requests at equal times, equal answers.
///
/// With register_nodes the cloud outlives its process. Each request is written down in
/// capstan.state/1 before it is answered, and what follows from it is worked out anew; where
/// nothing was written down, the machines are those whose Node objects are there. Several processes
/// may share what is written: each takes in what another one wrote.
class Simulated {
public:
    Simulated(Host host, Config config);
    Simulated(const Simulated&) = delete;
    Simulated& operator=(const Simulated&) = delete;

    /// From now on it is like this. Groups that stay keep their machines, and new ones begin.
    /// Others are not told of any more, and nor are their machines: these stay, with their nodes,
    /// until a group of that id is there again. Never at the same time as any of the others.
    void reconfigure(Config config);

    /// With `notices` the host is asked for a pass at each change that its groups have by now.
    Task<void> start();

    // On the instance's strand. Each takes `latency`, and what it does happens at its end.
    Task<SharedCloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(NodeGroupId id);
    Task<MachineTypes> machine_types();
    Task<void> create(GroupPlan plan);
    Task<void> destroy(NodeGroupId id);

    // On a decision thread, at the same time as the above.
    Result<PlannedGroup> new_group(const Call& call, const GroupPlan& plan) const;

private:
    /// By the cloud's own clock: the host's when this process began, and then evenly on.
    Time now() const { return began_ + (host_.monotonic() - began_count_); }
    static void announce_change(void* self, capstan_status status) noexcept;
    /// Takes the time of a call, then lets everything happen that was to happen meanwhile.
    Task<void> arrive();
    /// Groups as they are told, by id: as they are, or were `list_lag` ago.
    std::vector<const Group*> listed_groups();
    /// For groups of which nothing is known of the past: from now on it is.
    void begin_pasts();
    void restore_pasts(Time saved);
    /// After a request: the list is to show it in a while.
    void note_request(const Group& group);
    /// Becomes what is written down, or what the cluster shows.
    Task<void> recall();
    void take_over(Ledger ledger);
    Ledger adopted(const JoinedNodes& nodes) const;
    Group begin_group(const GroupConfig& config, Time moment);
    int last_number_taken(const NodeGroupId& id) const;
    bool has_left(const JoinedNode& node) const;
    void write_down();
    /// Makes the Node objects those of the machines that run.
    Task<void> register_nodes();
    /// Of its groups as they are, by id.
    std::vector<std::uint64_t> versions() const;
    bool is_settled() const;
    /// Of its groups' machines, by id.
    using Standings = std::map<std::string_view, std::vector<MachineStanding>>;
    Standings standings() const;
    bool is_stranger(const Standings& standings, const JoinedNode& node) const;
    bool take_in(const JoinedNodes& nodes);
    struct Work {
        std::vector<JoinedNode> gone{};
        std::map<std::string, std::string> missing{};  ///< objects by name
        bool has_strangers = false;  ///< some nodes show machines that it does not know to run
    };
    std::optional<Work> followed_work();
    /// Once it knows those machines.
    Work work_with_strangers(const JoinedNodes& nodes);
    Work work_for(const JoinedNodes& nodes) const;
    Group& group(const NodeGroupId& id);
    const GroupConfig* find_config(std::string_view id) const;
    const MachineTypeConfig* find_machine_type(std::string_view name) const;
    std::vector<GroupConfig> all_groups(const Config& config) const;
    /// The target afterwards, asked for with `change`; once per idempotency key.
    template <class Change>
    Resized resize(const Resize& request, Change change);

    const Host host_;
    const Time began_;            ///< by the host's wall clock
    const Duration began_count_;  ///< the same moment, by its even one
    Time start_;
    Config config_;
    Nodes nodes_;
    /// Versions of nodes and groups with which every node was as it should.
    std::optional<std::pair<std::uint64_t, std::vector<std::uint64_t>>> settled_{};
    /// What was told last, and with which versions of the groups.
    std::optional<std::pair<std::vector<std::uint64_t>, SharedCloudView>> told_{};
    std::optional<std::uint64_t> revision_{};  ///< of what is written down; nothing: not known
    std::map<std::string, Group, std::less<>> groups_;
    std::map<std::string, GroupPast, std::less<>> pasts_;  ///< of all groups, where lists lag
    /// Groups with machines that the settings do not have any more, as they were then, by id.
    std::map<std::string, GroupRecord, std::less<>> left_;
    std::map<std::string, GroupPlan, std::less<>> made_;  ///< those of them that it made, by id
    Answers<Resized> resized_;
    Answers<Removed> removed_;
};

}  // namespace capstan::simulated
