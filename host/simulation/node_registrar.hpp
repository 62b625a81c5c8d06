/// NodeRegistrar of the clouds become nodes, and take them along when they vanish.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/snapshot.hpp"
#include "simulation/event_log.hpp"
#include "simulation/simulated_cluster.hpp"

namespace capstan::simulation {

/// One thread; every moment given has been reached by the cluster's statistics.
class NodeRegistrar {
public:
    /// `usual`: of all groups, as long as nothing else is said; each of its members is there.
    NodeRegistrar(SimulatedCluster& world, EventLog& event_log, Registration usual)
        : world_(world), event_log_(event_log), usual_(std::move(usual)) {}

    /// NodeRegistrar that begin to run from now on become nodes this way.
    void set(const Registration& registration);

    /// What runs already: its nodes are there and ready, or have been from the start, known by
    /// their providerID.
    void adopt(const std::vector<engine::Group>& groups, Time now);
    /// What the clouds say now. Nodes of machines that vanished go at once, or stay and are not
    /// ready, as their group's registration says.
    void observe(const std::vector<engine::Group>& groups, Time now);
    /// When the next node joins or becomes ready; nothing: none is on its way.
    std::optional<Time> next_due() const;
    /// Its cloud has agreed to remove it: it goes also where its group leaves meanwhile.
    void expect_end(const MachineId& machine);
    /// Lets nodes join and become ready whose time has come.
    void reach(Time now);
    /// Whether the clouds are at work, so that they have to be looked at again.
    bool is_awaiting() const noexcept { return is_awaiting_; }

private:
    struct Member {
        std::string group{};
        std::string node{};     ///< its name; empty: it has not joined
        bool is_going = false;  ///< its cloud has agreed to that
    };
    struct Joining {
        std::string machine{};
        std::string group{};
        engine::snapshot::NodeObject node{};
    };

    /// That which counts for the group.
    Registration registration_of(const std::string& group) const;
    void join(const engine::Group& group, const Machine& machine, Time now);
    std::string node_name(const std::string& group, const Machine& machine);
    engine::snapshot::NodeObject make_node(const engine::Group& group, const Machine& machine,
                                           Time now);
    void vanish(const std::set<std::string>& present, Time now);
    void watch(const engine::Group& group, const Machine& machine, Time now);
    void tell_failures(const engine::Group& group, Time now);

    SimulatedCluster& world_;
    EventLog& event_log_;
    Registration usual_;
    std::map<std::string, Registration> registrations_;  ///< by group
    std::map<std::string, Member> members_;              ///< machines that run or ran, by id
    std::set<std::string> failed_;                       ///< told of
    std::multimap<Time, Joining> joining_;
    std::multimap<Time, std::pair<std::string, std::string>> becoming_ready_;  ///< group, node
    std::map<std::string, int> last_number_;                                   ///< by group
    bool is_awaiting_ = false;
};

}  // namespace capstan::simulation
