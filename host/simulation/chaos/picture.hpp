/// What of a cluster decides whether another machine is wanted, to be compared from pass to pass.
#pragma once

#include <map>
#include <set>
#include <string>

#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {

/// Names, so that pictures of different moments can be compared.
struct Picture {
    std::set<std::string> waiting{};     ///< pods without a node
    std::set<std::string> running{};     ///< "default/web-1 on n1", DaemonSets' and going ones not
    std::set<std::string> nodes{};       ///< each with what decides which pods may run there
    std::set<std::string> going{};       ///< nodes whose pods have to go somewhere else
    std::set<std::string> backed_off{};  ///< groups that may not grow at that moment
    std::map<std::string, int> targets{};  ///< by group
};
Picture picture_of(const Moment& moment);

/// Something by which another machine may be wanted though nothing was forgotten: a node that is
/// not ready, a machine that failed.
bool has_trouble(const Moment& moment);
/// Whether a pod waits that resources, labels and taints do not tell the place of.
bool has_choosy_pods(const Moment& moment);

}  // namespace capstan::simulation::chaos
