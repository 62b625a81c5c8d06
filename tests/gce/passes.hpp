/// What of the record of calls was asked in one pass.
#pragma once

#include <cstdint>
#include <string>

#include "gce_server.hpp"

namespace capstan::gce {

/// When Capstan was told of a fault, and what it did then; 0: it did not.
struct FirstSight {
    std::int64_t asked = 0;      ///< createInstances of the group that has no machines
    std::int64_t seen = 0;       ///< the list that shows why
    std::int64_t acted = 0;      ///< the next createInstances, of that group or the other one
    std::int64_t next_pass = 0;  ///< the list of all groups with which the next pass begins
};

/// `group`: the one that was asked for machines first; `other`: the one that was asked next.
FirstSight first_sight(const GceServer& gce, const std::string& group, const std::string& other);

/// That a pass acted on what it saw: an expectation.
void expect_acted_in_that_pass(const FirstSight& sight);

}  // namespace capstan::gce
