/// The settings of the plugin as values. Only config.cpp and schema.cpp know the names of settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/settings.hpp>

namespace capstan::simulated {

/// What a group does with an increase that exceeds the capacity.
enum class Shortage {
    report,  ///< accepts it; the machines stay requested, and after a while have an error
    refuse,  ///< accepts as much as there is capacity for; out_of_capacity if there is none
    silent,  ///< accepts it; the machines stay requested, without an error
};

/// A notice that machines are about to leave, as clouds give for spot machines.
struct Announcement {
    LeaveReason reason = LeaveReason::spot_interruption;
    std::optional<Duration> after{};  ///< from the event until the machine leaves; absent: unknown
};

/// An event in the settings that changes a group at one time.
struct Change {
    Duration at{};  ///< after the start
    std::optional<int> capacity{};
    bool unlimited = false;                  ///< removes the limit of the capacity
    std::optional<Error> failure{};          ///< increases fail from now on
    std::optional<Error> removal_failure{};  ///< no machine can be removed from now on
    std::optional<Error> machine_error{};    ///< requested machines have this error from now on
    bool recover = false;                    ///< ends the three errors
    std::optional<int> target{};             ///< a new target, set by another client
    int lose = 0;                            ///< machines that vanish; the target stays
    int take = 0;                            ///< machines that vanish; the target falls by as many
    std::optional<Announcement> notice{};    ///< about machines, which do not vanish by themselves
    bool withdraw = false;                   ///< takes notices back
    /// Numbers of the machines that vanish, get a notice, or lose their notice. Empty: the oldest
    /// vanish, the oldest gets a notice, all lose their notices.
    std::vector<int> machines{};
    int run = 0;  ///< requested machines that run at once, whatever the capacity
    int add = 0;  ///< further machines that run at once; the target rises by as many
};

struct GroupConfig {
    NodeGroupId id{};
    int min = 0;
    std::optional<int> max{};
    int size = 0;                      ///< machines that run at the start
    NodeTemplate node{};               ///< the template; named like the group
    std::vector<std::string> types{};  ///< of machines, in turn; at least one, which may be empty
    Duration boot{};                   ///< from a machine's launch until it runs
    Duration delete_time{};            ///< from a machine's removal until it is gone
    Duration refresh_every{};          ///< between renewals of the list; zero: always current
    std::optional<int> capacity{};     ///< maximum number of launched machines
    Shortage on_exhausted = Shortage::report;
    Duration error_after{};          ///< how long a request waits before its error shows
    std::optional<Error> failure{};  ///< what every increase fails with
    std::optional<Price> price{};
    bool spot = false;
    GroupOptions options{};
    /// "10.0.0." gives machine 3 the address 10.0.0.3; empty: machines have no addresses.
    std::string addresses{};
    std::vector<Change> changes{};  ///< ascending by time
    bool is_made = false;           ///< made by auto-provisioning
};

/// A machine type of which auto-provisioning can make groups.
struct MachineTypeConfig {
    std::string name{};
    NodeTemplate node{};               ///< the template, without a zone
    std::vector<std::string> zones{};  ///< at least one; an empty name: the cloud has no zones
    bool on_demand = true, spot = false;
    std::optional<Price> price{}, spot_price{};
    GroupConfig group{};  ///< settings of groups of this type, except for the machines
    std::optional<Error> creation_failure{}, deletion_failure{};  ///< of every group of this type
};

struct Config {
    Duration latency{};                     ///< of every call
    std::optional<Error> failure{};         ///< what every call fails with
    Duration answer_latency{};              ///< of every change, after it took effect
    std::optional<Error> answer_failure{};  ///< what every change fails with after it took effect
    Duration list_lag{};                    ///< the age of lists; answers to requests are current
    int list_omits = 0;           ///< lists omit machines with multiples of this number; 0: none
    bool notices = false;         ///< asks the host for a pass at each change
    bool register_nodes = false;  ///< running machines join the cluster as Node objects
    std::vector<GroupConfig> groups{};
    std::vector<MachineTypeConfig> machine_types{};
};

Schema config_schema();
/// Rejects what the schema cannot express: repeated ids, contradictory sizes.
void check_config(const Settings& settings);
Config read_config(const Settings& settings);

}  // namespace capstan::simulated
