/// What a simulation starts from, and what happens to it. An Input is made of a scenario, of a
/// cluster's dump or of a trace, and run() does not know which.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "autoscaler/dump/dumped_objects.hpp"
#include "autoscaler/offline/cloud_settings.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "engine/memory.hpp"
#include "engine/scheduling/scheduler_score.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "engine/snapshot/objects.hpp"
#include "simulator/external_events.hpp"
#include "simulator/faults.hpp"
#include "simulator/judge.hpp"

namespace capstan::simulator {

/// A command that has to be among the commands of a step, and when.
struct ExpectedCommand {
    std::string command{};
    Duration from{0};                 ///< after the beginning of the step
    std::optional<Duration> until{};  ///< the last moment; absent: the end of the step
};

/// Taints of a node, by key.
struct ExpectedTaints {
    std::string node{};
    std::vector<std::string> has{}, lacks{};
};

/// What has to hold when a step ends; members that are absent are not checked. Commands are what
/// clouds and cluster were asked for during the step, in order, in these words:
///     increase web by 3
///     decrease web by 1
///     remove web-1, web-2 from web        nodes; GROUP/NUMBER for a machine without a node
///     evict default/web-7                 only if the API server agreed to evict the pod
struct Expectations {
    std::optional<std::vector<std::string>> commands{};  ///< all of them
    /// For `commands` alone: commands count only if their first word is one of these; empty: all
    /// commands count.
    std::vector<std::string> only{};
    std::vector<ExpectedCommand> within{};
    /// No command may begin with one of these, in whole words: "evict", "remove", "increase spot".
    std::vector<std::string> never{};
    std::optional<int> pending{};                  ///< pods without a node
    std::optional<Duration> longest_pending{};     ///< every pod waited, or waits, for less
    std::map<std::string, int> nodes{};            ///< by group; nodes in the cluster
    std::map<std::string, int> targets{};          ///< by group; machines asked for
    std::vector<std::string> present{}, absent{};  ///< nodes, by name
    std::vector<ExpectedTaints> taints{};
    std::optional<std::vector<std::string>> backed_off{};  ///< groups, by id; all of them
    std::vector<std::string> not_backed_off{};
    /// Why pods of a batch are unschedulable: "web: SENTENCE" for all groups together, "web in
    /// spot: SENTENCE" for one group. Each line has to be true, and every unschedulable batch needs
    /// a line.
    std::optional<std::vector<std::string>> unschedulable{};
};

/// The command that a step ends with, right after the pass that gave the command.
struct UntilCommand {
    std::string command{};                     ///< empty: any
    Duration within = std::chrono::hours(24);  ///< no command in this time: an unmet expectation
};

struct Step {
    std::vector<Action> actions{};                ///< in the order in which they happen
    std::optional<Duration> advance{};            ///< absent: until nothing happens any more
    std::optional<UntilCommand> until_command{};  ///< in place of `advance`
    Expectations expect{};
    config::Place place{};
};

/// What a chaos run may change of an input, besides adding faults and events.
struct ChaosChoices {
    bool settings = true;         ///< the scan interval, settings of [scale_up] and [scale_down]
    bool scheduler_score = true;  ///< which nodes the scheduler prefers
    bool machine_types = true;    ///< groups get several machine types
    bool sizes = true;            ///< the groups are multiplied, in a few seeds
};

using autoscaler::dump::IdleWorkload;
using autoscaler::dump::Objects;
using autoscaler::dump::ScaledController;
using autoscaler::offline::CloudSettings;
using autoscaler::offline::simulated_cloud;
using engine::scheduling::SchedulerScore;

struct Input {
    std::string title{};
    std::string source{};  ///< the file, for messages: "SOURCE:12: ..."
    Time start = time_from_unix_ns(std::int64_t{1'577'836'800} * 1'000'000'000);  // 2020-01-01
    /// Of a dump: how `start` is known, "latest heartbeat of node n1"; reports then show times of
    /// day, too. Empty: `start` is no time of a real cluster.
    std::string start_because{};
    /// The run ends after this time unless Setup::until is set; absent: when its steps are over.
    std::optional<Duration> time_limit{};
    std::uint64_t seed = 0;
    Duration scan_interval = std::chrono::seconds(10);
    /// How fast machines of all groups become nodes, if no Registration says otherwise.
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    std::vector<Registration> registrations{};  ///< from the start, later ones on top of earlier
    /// False: only Bind gives pods a node.
    bool scheduler = true;
    SchedulerScore scheduler_score = SchedulerScore::least_allocated;
    /// The scheduler's spread constraints for pods that have none of their own; absent: as the
    /// configuration says.
    std::optional<std::vector<engine::snapshot::DefaultSpread>> scheduler_spread{};
    Objects objects{};
    std::vector<Budget> budgets{};
    /// ConfigMaps and custom objects that plugins may read through the Kubernetes API, as JSON.
    std::vector<std::string> plugin_objects{};
    std::vector<Step> steps{};
    std::vector<Fault> faults{};
    Judge judge{};  ///< by which chaos runs judge it
    ChaosChoices chaos{};
    /// The settings of the scenario's own sections, without overrides: what it means, whatever is
    /// under test. Absent: the settings in force.
    std::optional<engine::Settings> own_settings{};
    /// What the autoscaler remembers at the start, unless it reads a saved memory.
    engine::Memory memory{};
    /// The preset of the plugin `labels` unless the configuration sets one; empty: its default.
    std::string label_preset{};
    /// `start`, if it is the time of a real cluster.
    std::optional<Time> real_start() const {
        return start_because.empty() ? std::nullopt : std::optional(start);
    }
    /// Of a dump: the providerIDs of its nodes, by the id of the simulated machine that stands in.
    std::map<std::string, std::string, std::less<>> provider_ids{};
    /// The clouds that replace those of the configuration. Empty: the clouds of the configuration
    /// are used. They may change at any time, so they are refreshed at every moment at which there
    /// could be a pass.
    std::vector<CloudSettings> clouds{};
};

}  // namespace capstan::simulator
