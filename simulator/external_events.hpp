/// What may happen to a cluster and its cloud from outside, each as a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

#include "autoscaler/dump/dumped_objects.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "config/scaling.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::simulator {

using autoscaler::dump::Budget;
using autoscaler::dump::Controller;
using autoscaler::dump::PodShare;

/// Pods that arrive together and differ only in their names.
struct PodBatch {
    /// What each pod looks like. Its name is that of the batch, by which the batch is scaled and
    /// removed; the pods are named after it: web-1, web-2, ... The simulation fills in node name
    /// and times, and the owner if there is a controller.
    engine::snapshot::PodObject pod{};
    std::optional<int> count{};  ///< absent: one pod, named as the batch
    Controller controller = Controller::none;
    /// How long after being bound a pod ends by itself; absent: never.
    std::optional<Duration> duration{};
    Duration start_up{0};  ///< from being bound to being ready, which is when budgets count it
    /// From the start of termination to the deletion, unless the pod's grace period is shorter.
    Duration stop_time{0};
    /// True: the pods have nodes from the start. They fill one node after the other, the groups
    /// taking turns, as far as requests allow; no other constraint is checked. False: they wait for
    /// the scheduler.
    bool packed = false;
};

/// Sets how many pods a batch with a controller has.
struct Scale {
    std::string batch{};
    int replicas = 0;
};

/// Takes away all pods of a batch, one pod, a DaemonSet with its pods, or a node with the pods on
/// it. A batch, pod or DaemonSet is given as NAME or NAMESPACE/NAME.
struct Remove {
    std::string name{};
};

/// Gives a pending pod (NAME or NAMESPACE/NAME) a node, whether the node has room or not.
struct Bind {
    std::string pod{}, node{};
};

/// Another client changes a node; members that are absent change nothing.
struct NodeEdit {
    std::string node{};
    std::optional<bool> ready{}, cordoned{};
    std::vector<Taint> set_taints{};         ///< each replaces the taint of its key
    std::vector<std::string> drop_taints{};  ///< by key
    std::map<std::string, std::optional<std::string>> annotations{};  ///< absent: dropped
    std::map<std::string, std::optional<std::string>> labels{};       ///< absent: dropped
};

/// How machines of a group become nodes from now on; members that are absent stay as they were.
struct Registration {
    std::string group{};  ///< empty: of all groups
    /// False: machines run and never join.
    std::optional<bool> joins{};
    std::optional<Duration> register_delay{}, ready_delay{};
    std::optional<std::vector<Taint>> taints{};  ///< that nodes get when they join
    /// Keys of labels that the group's template has and its nodes do not get.
    std::optional<std::vector<std::string>> missing_labels{};
    /// Resources and labels of the group's template, by key, that nodes get, and taints, by key,
    /// that they lose, `late_by` after they have become ready.
    std::optional<std::vector<std::string>> late_resources{}, late_labels{}, late_taints{};
    std::optional<Duration> late_by{};
    /// False: nodes join without a providerID, so that they are found by their machine's addresses.
    std::optional<bool> provider_ids{};
    /// True: a node stays, not ready, when its machine vanishes, until this is false again.
    std::optional<bool> nodes_stay{};
    /// For groups with several machine types: the resources of each type, which replace those of
    /// the group's template. Empty: stays as it was.
    std::map<std::string, Resources> types{};
};

/// Something changes in a group of the simulated cloud.
struct CloudChange {
    std::string group{};
    /// A table with the plugin's keys of `changes`, without `at`.
    config::TomlValue change{};
};
/// A new group: a table with the plugin's keys of `groups`.
struct AddGroup {
    config::TomlValue group{};
};
struct RemoveGroup {
    std::string id{};
};
/// Changes settings of the plugin other than `groups`, such as latency and fail. Each key replaces
/// what was there; tables are merged.
struct CloudEdit {
    config::TomlValue settings{};        ///< a table
    std::vector<std::string> dropped{};  ///< keys that go back to their defaults
    PluginInstanceId cloud{};            ///< empty: the first cloud
};

/// The configuration is reloaded.
struct Reload {
    config::ScaleUp scale_up;
    config::ScaleDown scale_down;
    config::Limits limits;
    std::string text{};                   ///< "scale_down.unneeded_time=1m", for the event
    std::vector<std::string> settings{};  ///< the same, one by one
};

using ExternalEvent =
    std::variant<PodBatch, Scale, Remove, Bind, engine::snapshot::NodeObject,
                 engine::snapshot::DaemonSetObject, NodeEdit, Budget, Registration, CloudChange,
                 AddGroup, RemoveGroup, CloudEdit, Reload>;

/// What happens when an action turns out to be impossible.
enum class IfImpossible {
    fail,  ///< the run ends with the action's error
    /// The action is left out if its target is not there (`not_found`), or is there already or in
    /// another state than the action needs (`conflict`): chance may be the reason. Any other error
    /// ends the run.
    skip_without_target,
    skip,  ///< the action is left out
};

/// An external event, and how long after the beginning of its step it happens.
struct Action {
    Duration after{0};
    ExternalEvent what{};
    config::Place place{};  ///< in the input's file, for the error if it is impossible
    IfImpossible if_impossible = IfImpossible::fail;
};

}  // namespace capstan::simulator
