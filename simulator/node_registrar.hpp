/// Machines of the clouds become nodes of the simulated cluster, and their nodes go with them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/dump/node_of_machine.hpp"
#include "engine/snapshot.hpp"
#include "simulator/event_log.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// Plays the kubelets and the cloud controller manager. A machine that runs registers a node after
/// one delay, and the node becomes ready after another. The node of a machine that vanished is
/// deleted, or stays and is not ready. Used on one thread. The statistics of the cluster have to be
/// advanced to each moment that is passed in.
class NodeRegistrar {
public:
    /// `usual`: the registration of groups that have none of their own; its joins, delays, taints,
    /// provider_ids and nodes_stay have to be set.
    NodeRegistrar(SimulatedCluster& cluster, EventLog& event_log, Registration usual)
        : cluster_(cluster), event_log_(event_log), usual_(std::move(usual)) {}

    /// Sets how machines that begin to run from now on become nodes.
    void set(const Registration& registration);

    /// Takes over the machines that run at the start. A node with the machine's providerID becomes
    /// the machine's node. If there is none, a node that is ready at once is added.
    void adopt(const std::vector<engine::Group>& groups, Time now);
    /// Takes in a refresh of the clouds. Nodes of machines that vanished are removed at once, or
    /// stay and are not ready, as the registration of their group says.
    void observe(const std::vector<engine::Group>& groups, Time now);
    /// When the next node joins or becomes ready; absent: no node is on its way.
    std::optional<Time> next_due() const;
    /// A hash of what is scheduled: groups, and the time until each event.
    std::uint64_t state_hash(Time now) const;
    /// The machine's cloud has agreed to remove it. Its node then goes even if its group leaves the
    /// cloud's settings meanwhile.
    void expect_end(const MachineId& machine);
    /// true: a machine that no list has is not gone unless its cloud has agreed to remove it, until
    /// this is called with false.
    void keep_missing(bool keep) noexcept { keeps_missing_ = keep; }
    /// Nodes that are due by `now` join, become ready, and get and lose their late traits.
    void reach(Time now);
    /// Whether a cloud has still to start or delete machines, and so has to be refreshed again.
    bool is_awaiting() const noexcept { return is_awaiting_; }

private:
    /// What a node gets and loses some time after it has become ready.
    struct LateTraits {
        std::string node{};
        Resources resources{};
        Labels labels{};
        std::vector<std::string> taints{};
        Duration by{};
    };
    struct Member {
        std::string group{};
        std::string node{};     ///< name of its node; empty: it has not joined
        bool is_going = false;  ///< its cloud has agreed to remove it
    };
    struct Joining {
        std::string machine{};
        std::string group{};
        engine::snapshot::NodeObject node{};
    };

    /// The registration in force for the group: its own on top of the usual one.
    Registration registration_of(const std::string& group) const;
    void join(const engine::Group& group, const Machine& machine, Time now);
    engine::snapshot::NodeObject make_node(const engine::Group& group, const Machine& machine,
                                           Time now);
    void hold_back(const Registration& registration, engine::snapshot::NodeObject& node);
    void vanish(const std::set<std::string>& present, Time now);
    void end_stays(Time now);
    void watch(const engine::Group& group, const Machine& machine, Time now);
    void add_fact(FactKind kind, Cause cause, std::string_view machine, const Member& member,
                  Time now);
    void report_failures(const engine::Group& group, Time now);

    SimulatedCluster& cluster_;
    EventLog& event_log_;
    Registration usual_;
    std::map<std::string, Registration> registrations_;  ///< by group
    std::map<std::string, Member> members_;              ///< machines that run or ran, by id
    std::set<std::string> failed_;                       ///< failed machines that were reported
    std::multimap<Time, Joining> joining_;
    std::multimap<Time, std::pair<std::string, std::string>> becoming_ready_;  ///< group, node
    std::map<std::string, LateTraits> late_{};  ///< by node that is not ready yet
    std::multimap<Time, LateTraits> settling_{};
    std::map<std::string, std::string> staying_{};  ///< groups of nodes whose machine is gone
    autoscaler::dump::NodeNames node_names_;
    bool is_awaiting_ = false;
    bool keeps_missing_ = false;
};

}  // namespace capstan::simulator
