/// Faults as they strike: the cloud, the machines, nodes, the API server, the clock and the
/// autoscaler itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "simulation/cloud_control.hpp"
#include "simulation/faults.hpp"
#include "simulation/machines.hpp"
#include "simulation/passes.hpp"
#include "simulation/story.hpp"
#include "simulation/world.hpp"

namespace capstan::simulation {

class Mishaps {
public:
    struct Parts {
        World& world;
        Machines& machines;
        Passes& passes;
        Story& story;
        CloudControl* cloud = nullptr;  ///< NULL: it is not the simulated one
    };
    Mishaps(const Parts& parts, Faults faults) : parts_(parts), faults_(std::move(faults)) {}

    std::optional<Time> next_due() const { return faults_.next_due(); }
    /// Lets happen what is due. The answer is how far the clock jumps. The error: a fault of the
    /// simulated cloud, and the cloud is another one; a group that is not there.
    Result<Duration> reach(Time now);

private:
    Result<void> strike(const FaultEvent& event, Time now);
    Result<void> strike_cloud(const FaultEvent& event, Time now);
    Result<void> strike_group(const FaultEvent& event, Time now);
    void flap(const FaultEvent& event, Time now);
    std::vector<std::string> groups() const;

    Parts parts_;
    Faults faults_;
    std::map<std::string, std::optional<int>> capacities_;  ///< before the shortage, by group
    std::optional<runtime::TomlValue> latency_;             ///< before calls got slow
    std::map<std::string, std::string> flapping_;           ///< the node, by group
};

}  // namespace capstan::simulation
