/// What a decision asks others to do, as data. The host carries it out; what came of it goes into
/// the next pass by remember_results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

/// Takes back machines that a cloud was asked for and has not made.
struct Decrease {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    int from = 0;  ///< the target this was decided on, see health/answered_targets.hpp
    int by = 0;
    /// Also the one machine that a group backed off until a machine joins keeps asked for: the
    /// group stays backed off.
    bool kept_one_too = false;
    std::string because{};
    bool operator==(const Decrease&) const = default;
};

enum class RemovalCause : std::uint8_t {
    underutilized,
    empty,
    unready,
    never_joined,
    failed,  ///< the cloud could not make it
};
/// "underutilized": as metrics have it.
std::string_view name_of(RemovalCause cause) noexcept;

/// Has a cloud remove machines of one group; its target falls with them.
struct MachineRemoval {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    std::vector<MachineId> machines{};
    std::vector<std::string> nodes{};  ///< of each machine; empty: it has none
    bool force = false;                ///< also below the group's minimum
    RemovalCause cause = RemovalCause::underutilized;
    std::string because{};
    bool operator==(const MachineRemoval&) const = default;
};

/// Has a cloud make a group, of no machines at first.
struct GroupCreation {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    GroupPlan plan{};
    std::string because{};
    bool operator==(const GroupCreation&) const = default;
};

/// Has a cloud delete a group that it made and that is empty.
struct GroupDeletion {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    std::string because{};
    bool operator==(const GroupDeletion&) const = default;
};

/// Asks a cloud for more machines; of a group that is to be made first, once it is there.
struct Increase {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    int from = 0;  ///< the target this was decided on, see health/answered_targets.hpp
    int by = 0;
    std::uint32_t schedulable_pods = 0;
    std::size_t option = 0;  ///< index into Decision::options
    std::string because{};   ///< "smallest of 3 similar groups, makes room for 9 pods"
    bool operator==(const Increase&) const = default;
};

/// Changes a node, all of it or nothing of it.
struct NodeChange {
    std::string node{};
    std::vector<Taint> set_taints{};         ///< each replaces what has its key
    std::vector<std::string> drop_taints{};  ///< by key; one that is not there is no error
    std::optional<bool> unschedulable{};
    std::map<std::string, std::optional<std::string>> annotations{};  ///< nothing: drop it
    std::string because{};
    bool operator==(const NodeChange&) const = default;
};

/// Evicts a pod through the eviction API, so that disruption budgets hold.
struct Eviction {
    std::string ns{}, pod{};
    std::string uid{};  ///< a pod of that name with another uid is left alone
    std::string node{};
    std::optional<Duration> grace{};  ///< nothing: the pod's own
    bool best_effort = false;         ///< the drain does not wait for it: a pod of a DaemonSet
    std::string because{};
    bool operator==(const Eviction&) const = default;
};

/// The provider_code of an error of an action that was given up before its cloud was asked: such an
/// action has certainly done nothing.
inline constexpr std::string_view not_asked = "NotAsked";

/// What became of a decision's actions, each in the order of the decision. A dry run has none of
/// it: all are empty, and nothing is remembered.
struct Results {
    template <class T>
    using All = std::vector<T>;
    All<std::optional<Error>> decreases{};  ///< nothing: done
    /// Machines that did not go, by Error::subject; one without a subject stands for all.
    All<std::vector<Error>> removals{};
    All<std::optional<Error>> creations{};
    All<std::optional<Error>> increases{};
    /// What increases that were taken were answered with; shorter, or nothing: as they asked.
    All<std::optional<int>> answered_targets{};
    /// Why increases that were taken came to fewer machines than asked for; shorter, or nothing:
    /// they did not.
    All<std::optional<Error>> shortfalls{};
    All<std::optional<Error>> node_changes{};
    /// `not_found`: it was gone already, which is as good. `throttled`: a budget does not allow it
    /// now, or the API asks for patience.
    All<std::optional<Error>> evictions{};
    /// `not_found`: it was gone already, which is as good.
    All<std::optional<Error>> deletions{};
};

/// Why fewer machines were agreed to than the increase at that place asked for; NULL: all were.
const Error* find_shortfall(const Results& results, std::size_t increase) noexcept;
/// How many machines the increase at that place, which was taken, is of.
int count_agreed(const Increase& increase, const Results& results, std::size_t at) noexcept;

/// Why that machine of a removal stays, in one element of Results::removals; NULL: it goes.
const Error* find_error(const std::vector<Error>& removal, const MachineId& machine) noexcept;

// What a decision asks for, in words.

/// "decrease web by 2"
std::string command_of(const Decrease& decrease);
/// "remove n1, n2 from web"
std::string command_of(const MachineRemoval& removal);
/// "create nap-n1-a1b2"
std::string command_of(const GroupCreation& creation);
/// "delete nap-n1-a1b2"
std::string command_of(const GroupDeletion& deletion);
/// "increase web by 3"
std::string command_of(const Increase& increase);
/// "evict shop/web-1"
std::string command_of(const Eviction& eviction);

/// A machine in such words: its node's name, or the last part of its id; GROUP/NUMBER where that is
/// a number.
std::string name_of_machine(const MachineId& machine, const std::string& node);

}  // namespace capstan::engine
