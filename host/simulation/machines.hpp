/// Machines of the clouds become nodes, and take them along when they vanish.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/snapshot.hpp"
#include "simulation/story.hpp"
#include "simulation/world.hpp"

namespace capstan::simulation {

/// One thread; every moment given has been reached by the world's tally.
class Machines {
public:
    struct Delays {
        Duration registering{0};  ///< from a machine running to its node being there
        Duration becoming_ready{0};
    };
    Machines(World& world, Story& story, Delays delays)
        : world_(world), story_(story), delays_(delays) {}

    /// What runs already: its nodes are there and ready, or have been from the start, known by
    /// their providerID.
    void adopt(const std::vector<engine::Group>& groups, Time now);
    /// What the clouds say now. Nodes of machines that vanished go at once.
    void observe(const std::vector<engine::Group>& groups, Time now);
    /// When the next node joins or becomes ready; nothing: none is on its way.
    std::optional<Time> next_due() const;
    /// Lets nodes join and become ready whose time has come.
    void reach(Time now);
    /// Whether the clouds are at work, so that they have to be looked at again.
    bool is_awaiting() const noexcept { return is_awaiting_; }

private:
    struct Member {
        std::string group{};
        std::string node{};  ///< its name; empty: it has not joined
    };
    struct Joining {
        std::string machine{};
        std::string group{};
        engine::NodeObject node{};
    };

    engine::NodeObject make_node(const engine::Group& group, const Machine& machine, Time now);
    void vanish(const std::set<std::string>& present, Time now);
    void watch(const engine::Group& group, const Machine& machine, Time now);
    void tell_failures(const engine::Group& group, Time now);

    World& world_;
    Story& story_;
    const Delays delays_;
    std::map<std::string, Member> members_;  ///< machines that run or ran, by id
    std::set<std::string> failed_;           ///< told of
    std::multimap<Time, Joining> joining_;
    std::multimap<Time, std::pair<std::string, std::string>> becoming_ready_;  ///< group, node
    std::map<std::string, int> last_number_;                                   ///< by group
    bool is_awaiting_ = false;
};

}  // namespace capstan::simulation
