/// What simulated can be told, as values. Nothing else here knows the names of settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/settings.hpp>

namespace capstan::simulated {

/// What a group does about an increase for which the cloud has no machines.
enum class Shortage {
    report,  ///< takes it; the machines stay requested, and after a while carry an error
    refuse,  ///< takes what there are machines for, or answers out_of_capacity if there are none
    silent,  ///< takes it; the machines stay requested, without a reason
};

/// What happens to a group at one moment, beside what it is asked for.
struct Change {
    Duration at{};  ///< after the start
    std::optional<int> capacity{};
    bool unlimited = false;                  ///< the capacity has no limit any more
    std::optional<Error> failure{};          ///< increases fail from now on
    std::optional<Error> removal_failure{};  ///< no machine can be removed from now on
    std::optional<Error> machine_error{};    ///< what requested machines carry from now on
    bool recover = false;                    ///< and from now on none of the three
    std::optional<int> target{};             ///< set from outside
    int lose = 0;                            ///< machines that vanish; the target stays
    int take = 0;                            ///< machines that vanish, and the target with them
    std::vector<int> machines{};             ///< which those are, by number; empty: the oldest
    int run = 0;  ///< requested machines that run at once, whatever the capacity
    int add = 0;  ///< further machines that run at once; the target rises by as many
};

struct GroupConfig {
    NodeGroupId id{};
    int min = 0;
    std::optional<int> max{};
    int size = 0;                      ///< machines that run at the start
    NodeTemplate node{};               ///< what each of them offers; named like the group
    std::vector<std::string> types{};  ///< of machines, in turn; one at least, and it may be empty
    Duration boot{};                   ///< from a machine's launch until it runs
    Duration delete_time{};            ///< from a machine's removal until it is gone
    Duration refresh_every{};          ///< how old the list of its machines gets; zero: never old
    std::optional<int> capacity{};     ///< machines the cloud has at all
    Shortage on_exhausted = Shortage::report;
    Duration error_after{};          ///< how long a request waits before its error shows
    std::optional<Error> failure{};  ///< what every increase fails with
    std::optional<Price> price{};
    bool spot = false;  ///< the cloud may take its machines back
    GroupOptions options{};
    std::vector<Change> changes{};  ///< by time
    bool is_made = false;           ///< by the cloud itself, when it was asked to
};

/// Machines of which the cloud makes groups.
struct MachineTypeConfig {
    std::string name{};
    NodeTemplate node{};               ///< of one of them, wherever it is
    std::vector<std::string> zones{};  ///< one at least; an empty one: the cloud has none
    bool on_demand = true, spot = false;
    std::optional<Price> price{}, spot_price{};
    GroupConfig group{};  ///< how groups of it behave; its machines are told above
    std::optional<Error> creation_failure{}, deletion_failure{};  ///< of every group of it
};

struct Config {
    Duration latency{};              ///< of every call
    std::optional<Error> failure{};  ///< what every call fails with
    Duration list_lag{};             ///< so long ago it was as its list tells; answers are not late
    bool notices = false;            ///< the host is told when a change takes place
    bool register_nodes = false;     ///< machines that run join the cluster as Node objects
    std::vector<GroupConfig> groups{};
    std::vector<MachineTypeConfig> machine_types{};
};

Schema config_schema();
/// Refuses what the schema cannot say: ids used twice, sizes that contradict each other.
void check_config(const Settings& settings);
Config read_config(const Settings& settings);

}  // namespace capstan::simulated
