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

#include "engine/snapshot/objects.hpp"
#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"

namespace capstan::simulation {

/// The kind of controller of pods.
enum class Controller {
    none,          ///< no controller: what is gone is gone
    replica_set,   ///< a Deployment's: brings back those that vanish, under new names, at once
    stateful_set,  ///< the same names again, NAME-0 first, each when those before it are ready
    job,           ///< pods that end by themselves; one that vanishes before starts over
};

/// Pods that come together and are alike but for their names.
struct PodBatch {
    /// How each looks. Its name is the batch's, by which it is scaled and removed; the pods' own
    /// are made of it: web-1, web-2, ... Node name and times are filled in, and so is the owner
    /// where there is a controller.
    engine::snapshot::PodObject pod{};
    std::optional<int> count{};  ///< nothing: one pod, named as the batch
    Controller controller = Controller::none;
    /// The pod ends by itself so long after it was bound; nothing: never.
    std::optional<Duration> duration{};
    Duration start_up{0};   ///< from being bound to being ready, which is when budgets count it
    Duration stop_time{0};  ///< from being told to end to being gone, unless its grace is shorter
    /// They are there already, on nodes that they fill one after the other, the groups in turn, as
    /// far as requests allow; nothing else is checked. Others wait for the scheduler.
    bool packed = false;
};

/// Sets how many pods a batch with a controller has.
struct Scale {
    std::string batch{};
    int replicas = 0;
};

/// Takes away all pods of a batch, one pod (NAME or NAMESPACE/NAME), a DaemonSet (the same) with
/// its pods, or a node with those on it.
struct Remove {
    std::string name{};
};

/// Gives a pod that waits (NAME or NAMESPACE/NAME) a node, whether it has room or not.
struct Bind {
    std::string pod{}, node{};
};

/// Another client changes a node; what is absent stays.
struct NodeEdit {
    std::string node{};
    std::optional<bool> ready{}, cordoned{};
    std::vector<Taint> set_taints{};         ///< each replaces what has its key
    std::vector<std::string> drop_taints{};  ///< by key
    std::map<std::string, std::optional<std::string>> annotations{};  ///< nothing: drop it
};

/// So many pods, or so many of every hundred.
struct PodShare {
    PodShare(int n, bool percent = false) : amount(n), is_percent(percent) {}
    /// Of `wanted` pods; what is not whole is rounded up, as Kubernetes' disruption controller does
    /// for either bound.
    int of(int wanted) const noexcept {
        if (!is_percent) return amount;
        return static_cast<int>((std::int64_t{wanted} * amount + 99) / 100);
    }

    int amount = 0;
    bool is_percent = false;
};

/// A PodDisruptionBudget, with one bound; without any it allows no disruption. One of the same name
/// is replaced.
struct Budget {
    std::string ns = "default";
    std::string name{};
    LabelSelector selector{};
    std::optional<PodShare> min_available{}, max_unavailable{};
    bool lets_unready_go = false;  ///< unhealthyPodEvictionPolicy: AlwaysAllow
};

/// How machines of a group become nodes from now on; what is absent stays as it was.
struct Registration {
    std::string group{};  ///< empty: of all groups
    /// False: machines run and never join.
    std::optional<bool> joins{};
    std::optional<Duration> register_delay{}, ready_delay{};
    std::optional<std::vector<Taint>> taints{};  ///< that nodes get when they join
    /// Labels of their machine, by key, that nodes do not get.
    std::optional<std::vector<std::string>> missing_labels{};
    /// True: a node stays, not ready, when its machine vanishes.
    std::optional<bool> nodes_stay{};
    /// Of groups with several machine types: what machines of each have, where the group's template
    /// says otherwise. Empty: stays as it was.
    std::map<std::string, Resources> types{};
};

/// Something changes in a group of the simulated cloud.
struct CloudChange {
    std::string group{};
    runtime::config::TomlValue
        change{};  ///< a table with the plugin's keys of `changes`, without `at`
};
/// A new group: a table with the plugin's keys of `groups`.
struct AddGroup {
    runtime::config::TomlValue group{};
};
struct RemoveGroup {
    std::string id{};
};
/// Keys of the plugin's own settings beside `groups`: latency, fail. Each replaces what was there.
struct CloudEdit {
    runtime::config::TomlValue settings{};  ///< a table
    std::vector<std::string> dropped{};     ///< keys that go back to their defaults
    PluginInstanceId cloud{};               ///< empty: the first, or the only one
};

using ExternalEvent = std::variant<PodBatch, Scale, Remove, Bind, engine::snapshot::NodeObject,
                                   engine::snapshot::DaemonSetObject, NodeEdit, Budget,
                                   Registration, CloudChange, AddGroup, RemoveGroup, CloudEdit>;

/// What comes of an action that turns out to be impossible.
enum class IfImpossible {
    fail,  ///< the run ends with its error
    /// It is left out where what it is about is not there (`not_found`), or is there already or
    /// otherwise than it has to be (`conflict`): chance may be the reason. Any other error ends
    /// the run.
    skip_without_target,
    skip,  ///< it is left out
};

/// Something that happens from outside, so long after the beginning of its step.
struct Action {
    Duration after{0};
    ExternalEvent what{};
    runtime::config::Place place{};  ///< in the input's file, for what turns out to be impossible
    IfImpossible if_impossible = IfImpossible::fail;
};

}  // namespace capstan::simulation
