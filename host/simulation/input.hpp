/// What a simulation starts from, and what happens to it: made of a scenario, a cluster's dump or a
/// trace, and run without knowing which.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <capstan/time.hpp>

#include "engine/snapshot/objects.hpp"
#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"

namespace capstan::simulation {

/// Pods that come together and are alike but for their names.
struct PodBatch {
    /// How each looks. Its name is the batch's, by which it is scaled and removed; the pods' own
    /// are made of it: web-1, web-2, ... Node name, owner and times are filled in.
    engine::PodObject pod{};
    std::optional<int> count{};  ///< nothing: one pod, named as the batch
    bool replicas = false;       ///< a ReplicaSet owns them and replaces those that vanish
    /// The pod ends by itself so long after it was bound; nothing: never.
    std::optional<Duration> duration{};
};

/// Sets how many pods a batch with replicas has.
struct Scale {
    std::string batch{};
    int replicas = 0;
};

/// Takes away all pods of a batch, one pod (NAME or NAMESPACE/NAME), or a node with its pods.
struct Remove {
    std::string name{};
};

/// Something that happens from outside, so long after the beginning of its step.
struct Action {
    Duration after{0};
    std::variant<PodBatch, Scale, Remove, engine::NodeObject> what{};
    runtime::Place place{};  ///< in the input's file, for what turns out to be impossible
};

/// What has to hold when a step ends; what is absent is not looked at.
struct Expectations {
    /// What the clouds were asked for during the step, all of it, in order: "increase web by 3".
    std::optional<std::vector<std::string>> commands{};
    std::optional<int> pending{};                          ///< pods without a node
    std::map<std::string, int> nodes{};                    ///< by group; nodes in the cluster
    std::map<std::string, int> targets{};                  ///< by group; machines asked for
    std::optional<std::vector<std::string>> backed_off{};  ///< groups, by id
    /// "web: SENTENCE" for all groups together, "web in spot: SENTENCE" for one. Each line has to
    /// be true, and every batch without room needs a line.
    std::optional<std::vector<std::string>> unhelped{};
};

struct Step {
    std::vector<Action> actions{};      ///< in the order in which they happen
    std::optional<Duration> advance{};  ///< nothing: until nothing happens any more
    Expectations expect{};
    runtime::Place place{};
};

/// Objects of the Kubernetes API that are there from the start. Pods that name a node run there.
struct Objects {
    std::vector<engine::NodeObject> nodes{};
    std::vector<engine::PodObject> pods{};
    std::vector<engine::DaemonSetObject> daemon_sets{};
    std::vector<engine::DisruptionBudgetObject> budgets{};
    std::vector<engine::ControllerObject> controllers{};
    std::vector<engine::ClaimObject> claims{};
    std::vector<engine::VolumeObject> volumes{};
    std::vector<engine::StorageClassObject> storage_classes{};
    std::vector<engine::CsiNodeObject> csi_nodes{};
    std::vector<engine::CsiDriverObject> csi_drivers{};
    std::vector<engine::CsiCapacityObject> csi_capacities{};
    std::vector<engine::NamespaceObject> namespaces{};
};

/// Settings of the shipped plugin `simulated`, with the text they stand in, so that its complaints
/// show the right line.
struct CloudSettings {
    runtime::Source source{};
    runtime::TomlValue settings{};  ///< a table
    /// When, after the start, something changes there that nobody asked for; ascending.
    std::vector<Duration> changes{};
};

struct Input {
    std::string title{};
    std::string source{};  ///< the file, for messages: "SOURCE:12: ..."
    Time start = time_from_unix_ns(std::int64_t{1'577'836'800} * 1'000'000'000);  // 2020-01-01
    std::uint64_t seed = 0;
    Duration scan_interval = std::chrono::seconds(10);
    /// From a machine running to its node being there, and from there to the node being ready.
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    Objects objects{};
    std::vector<Step> steps{};
    /// The cloud in place of the configuration's; nothing: those of the configuration, which may
    /// change at any time and are looked at before each pass there could be.
    std::optional<CloudSettings> cloud{};
};

}  // namespace capstan::simulation
