/// What a simulation starts from, and what happens to it: made of a scenario, a cluster's dump or a
/// trace, and run without knowing which.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/default_spread.hpp"
#include "engine/snapshot/objects.hpp"
#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "simulation/external_events.hpp"
#include "simulation/faults.hpp"

namespace capstan::simulation {

/// A command that has to be among those of a step, and when.
struct ExpectedCommand {
    std::string command{};
    Duration from{0};                 ///< after the beginning of the step
    std::optional<Duration> until{};  ///< the last moment; nothing: the end of the step
};

/// Taints of a node, by key.
struct ExpectedTaints {
    std::string node{};
    std::vector<std::string> has{}, lacks{};
};

/// What has to hold when a step ends; what is absent is not looked at. Commands are what clouds and
/// cluster were asked for during the step, in order, by these words:
///     increase web by 3
///     decrease web by 1
///     remove web-1, web-2 from web        nodes; GROUP/NUMBER for a machine without one
///     evict default/web-7                 only if it was agreed to
struct Expectations {
    std::optional<std::vector<std::string>> commands{};  ///< all of them
    /// Commands count only if their first word is one of these; empty: all do. Of `commands` alone.
    std::vector<std::string> only{};
    std::vector<ExpectedCommand> within{};
    /// What no command may be or begin with, in whole words: "evict", "remove", "increase spot".
    std::vector<std::string> never{};
    std::optional<int> pending{};                  ///< pods without a node
    std::optional<Duration> longest_pending{};     ///< every pod waited, or waits, for less
    std::map<std::string, int> nodes{};            ///< by group; nodes in the cluster
    std::map<std::string, int> targets{};          ///< by group; machines asked for
    std::vector<std::string> present{}, absent{};  ///< nodes, by name
    std::vector<ExpectedTaints> taints{};
    std::optional<std::vector<std::string>> backed_off{};  ///< groups, by id; all of them
    std::vector<std::string> not_backed_off{};
    /// "web: SENTENCE" for all groups together, "web in spot: SENTENCE" for one. Each line has to
    /// be true, and every batch without room needs a line.
    std::optional<std::vector<std::string>> unschedulable{};
};

/// A step that ends with a command: right after the pass that gave it.
struct UntilCommand {
    std::string command{};                     ///< empty: any
    Duration within = std::chrono::hours(24);  ///< it is an unmet expectation if none comes
};

struct Step {
    std::vector<Action> actions{};                ///< in the order in which they happen
    std::optional<Duration> advance{};            ///< nothing: until nothing happens any more
    std::optional<UntilCommand> until_command{};  ///< in place of `advance`
    Expectations expect{};
    runtime::config::Place place{};
};

/// A controller with a scale, as disruption budgets count the pods that it wants.
struct ScaledController {
    std::string id{};             ///< "shop/Deployment/web": of the topmost, above a ReplicaSet
    std::optional<int> wanted{};  ///< nothing: it does not say
};

/// Objects of the Kubernetes API that are there from the start. Pods that name a node run there.
struct Objects {
    std::vector<engine::snapshot::NodeObject> nodes{};
    std::vector<engine::snapshot::PodObject> pods{};
    std::vector<engine::snapshot::DaemonSetObject> daemon_sets{};
    /// Bound pods, by "namespace/name", that are not ready.
    std::set<std::string, std::less<>> unready{};
    /// By "namespace/kind/name" of the pods' own controller.
    std::map<std::string, ScaledController, std::less<>> scaled{};
    std::vector<engine::snapshot::ControllerObject> controllers{};
    std::vector<engine::snapshot::ClaimObject> claims{};
    std::vector<engine::snapshot::VolumeObject> volumes{};
    std::vector<engine::snapshot::StorageClassObject> storage_classes{};
    std::vector<engine::snapshot::CsiNodeObject> csi_nodes{};
    std::vector<engine::snapshot::CsiDriverObject> csi_drivers{};
    std::vector<engine::snapshot::CsiCapacityObject> csi_capacities{};
    std::vector<engine::snapshot::NamespaceObject> namespaces{};
    std::vector<engine::snapshot::ServiceObject> services{};
};

/// The instance of the shipped plugin `simulated` that a scenario's cloud is.
inline const PluginInstanceId simulated_cloud("simulated");
/// Its settings, with the text they stand in, so that its complaints
/// show the right line.
struct CloudSettings {
    runtime::config::Source source{};
    runtime::config::TomlValue settings{};  ///< a table
    /// The same with all that steps will change, to be checked before anything runs; empty: nothing
    /// changes.
    runtime::config::TomlValue changed{};
    /// When, after the start, something changes there unasked; ascending.
    std::vector<Duration> changes{};
};

struct Input {
    std::string title{};
    std::string source{};  ///< the file, for messages: "SOURCE:12: ..."
    Time start = time_from_unix_ns(std::int64_t{1'577'836'800} * 1'000'000'000);  // 2020-01-01
    std::uint64_t seed = 0;
    Duration scan_interval = std::chrono::seconds(10);
    /// How machines of all groups become nodes, where no Registration says otherwise.
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    std::vector<Registration> registrations{};  ///< from the start, later ones on top of earlier
    /// False: only Bind gives pods a node.
    bool scheduler = true;
    /// What it spreads pods over that have no constraints of their own; nothing: what the
    /// configuration says of it.
    std::optional<std::vector<engine::snapshot::DefaultSpread>> scheduler_spread{};
    Objects objects{};
    std::vector<Budget> budgets{};
    std::vector<Step> steps{};
    std::vector<Fault> faults{};
    /// The cloud in place of the configuration's; nothing: those of the configuration, which may
    /// change at any time and are looked at before each pass there could be.
    std::optional<CloudSettings> cloud{};
};

}  // namespace capstan::simulation
