/// How fast Capstan reacted to a fault, from the record of calls.
#pragma once

#include <cstdint>
#include <string>

#include "gce_server.hpp"

namespace capstan::gce {

/// Numbers of the calls around a fault; 0 if there was none.
struct FaultReaction {
    std::int64_t requested = 0;  ///< createInstances of the group without capacity
    std::int64_t listed = 0;     ///< the next list of its instances, which shows the fault
    std::int64_t reacted = 0;    ///< the next createInstances of the group that replaces it
    std::int64_t next_pass = 0;  ///< the list of all groups at the start of the next pass
};

/// `group`: the group that was increased first; `other`: the group that replaces it, which may be
/// the same one.
FaultReaction find_reaction(const GceServer& gce, const std::string& group,
                            const std::string& other);

/// Expects that Capstan reacted in the pass that found the fault.
void expect_reaction_in_same_pass(const FaultReaction& reaction);

}  // namespace capstan::gce
