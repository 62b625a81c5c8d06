/// The actions that a decision asks for, as data. The host carries them out; their results go into
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

/// Lowers the target of a group by machines that its cloud has not made.
struct Decrease {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    int from = 0;  ///< the target this was decided on, see health/answered_targets.hpp
    int by = 0;
    int listed = 0;  ///< the target that the cloud listed; it differs from `from` while lists lag
    /// The decrease includes the one machine that a group keeps requesting while it is backed off
    /// until a machine joins. The group stays backed off.
    bool kept_one_too = false;
    std::string because{};
    bool operator==(const Decrease&) const = default;
};

enum class RemovalCause : std::uint8_t {
    underutilized,
    empty,
    unready,
    never_joined,
    failed,  ///< the cloud could not make the machine
};
/// "underutilized": the name that metrics use.
std::string_view name_of(RemovalCause cause) noexcept;

/// Has a cloud remove machines of one group. The group's target falls by their number, unless
/// `keep_target` is set.
struct MachineRemoval {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    std::vector<MachineId> machines{};
    std::vector<std::string> nodes{};  ///< by machine: the name of its node; empty: it has none
    bool force = false;                ///< also below the group's minimum
    bool keep_target = false;          ///< the cloud makes a new machine for each
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

/// Asks a cloud for more machines. If the group is to be made first, the cloud is asked once the
/// group exists.
struct Increase {
    NodeGroupId group{};
    PluginInstanceId cloud{};
    int from = 0;  ///< the target this was decided on, see health/answered_targets.hpp
    int by = 0;
    int listed = 0;  ///< the target that the cloud listed; it differs from `from` while lists lag
    std::uint32_t schedulable_pods = 0;
    std::size_t option = 0;  ///< index into Decision::options, or health::no_option
    std::string because{};   ///< "smallest of 3 similar groups, makes room for 9 pods"
    bool operator==(const Increase&) const = default;
};

/// Changes a node, all of the change or nothing of it.
struct NodeChange {
    std::string node{};
    std::vector<Taint> set_taints{};         ///< each replaces the taints with the same key
    std::vector<std::string> drop_taints{};  ///< by key; a missing taint is no error
    std::optional<bool> unschedulable{};     ///< absent: stays as it is
    std::map<std::string, std::optional<std::string>> annotations{};  ///< absent: drop it
    std::string because{};
    bool operator==(const NodeChange&) const = default;
};

/// Evicts a pod through the eviction API, so that disruption budgets hold.
struct Eviction {
    std::string ns{}, pod{};
    std::string uid{};  ///< a pod of that name with another uid is not evicted
    std::string node{};
    std::optional<Duration> grace{};  ///< absent: the pod's own grace period
    bool best_effort = false;         ///< a DaemonSet pod, for which the drain does not wait
    std::string because{};
    bool operator==(const Eviction&) const = default;
};

/// The provider_code of the error of an action that was given up before its cloud was asked: the
/// action has certainly done nothing.
inline constexpr std::string_view not_asked = "NotAsked";

/// The results of a decision's actions, each list in the order of the decision. After a dry run all
/// lists are empty, and no action is remembered.
struct Results {
    template <class T>
    using All = std::vector<T>;
    All<std::optional<Error>> decreases{};  ///< absent: done
    /// By removal: an error for each machine that was not removed, named by Error::subject. An
    /// error without a subject is about all machines of the removal.
    All<std::vector<Error>> removals{};
    All<std::optional<Error>> creations{};
    All<std::optional<Error>> increases{};
    /// By increase that was accepted: the target in the cloud's answer. No element, or absent: the
    /// target that was asked for.
    All<std::optional<int>> answered_targets{};
    /// By increase that was accepted: why the cloud agreed to fewer machines than were asked for.
    /// No element, or absent: the cloud agreed to all.
    All<std::optional<Error>> shortfalls{};
    All<std::optional<Error>> node_changes{};
    /// `not_found`: the pod was gone already, which is a success. `throttled`: a budget does not
    /// allow the eviction now, or the API server throttles.
    All<std::optional<Error>> evictions{};
    /// `not_found`: the group was gone already, which is a success.
    All<std::optional<Error>> deletions{};
};

/// Why the cloud agreed to fewer machines than the increase with this index asked for; NULL: it
/// agreed to all. Borrows from `results`.
const Error* find_shortfall(const Results& results, std::size_t increase) noexcept;
/// How many machines the cloud agreed to for an accepted increase; `at`: its index.
int count_agreed(const Increase& increase, const Results& results, std::size_t at) noexcept;

/// Why `machine` was not removed, out of one element of Results::removals; NULL: it was removed.
const Error* find_error(const std::vector<Error>& removal, const MachineId& machine) noexcept;

// Actions in words, for logs and explanations.

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

/// The name of a machine in these texts: its node's name, or without a node the last segment of its
/// id; GROUP/NUMBER if that segment is a number.
std::string name_of_machine(const MachineId& machine, const std::string& node);

}  // namespace capstan::engine
