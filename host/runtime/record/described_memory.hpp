/// What outlives a pass, described.
#pragma once

#include "engine/memory.hpp"
#include "runtime/record/described_nouns.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_ENUM(RemovalPhase, tainting, waiting, draining, delayed, deleting, removed, undoing)
BOOST_DESCRIBE_STRUCT(Backoff, (), (since, until, length, last_failure, code, because, found_by))
BOOST_DESCRIBE_STRUCT(Make, (), (cloud, machine_type, zone, spot))
BOOST_DESCRIBE_STRUCT(ScaleUpRequest, (), (since, deadline, increase))
BOOST_DESCRIBE_STRUCT(WrongSize, (), (current, expected, since))
BOOST_DESCRIBE_STRUCT(Unneeded, (), (since, ready))
BOOST_DESCRIBE_STRUCT(NodeRemoval::Eviction, (), (agreed, refused, refused_because))
BOOST_DESCRIBE_STRUCT(NodeRemoval, (),
                      (group, machine, phase, empty, ready, cordoned, since, phase_since,
                       unneeded_since, evictions, because))
BOOST_DESCRIBE_STRUCT(PlannedNodes, (), (nodes, pods))
BOOST_DESCRIBE_STRUCT(GroupToCome, (), (cloud, plan, nodes, agreed, since, deadline))
BOOST_DESCRIBE_STRUCT(LastActions, (), (scale_up, removal, failed_removal))
BOOST_DESCRIBE_STRUCT(Memory, (),
                      (started, backoffs, make_backoffs, failed_machines, requests, unjoined,
                       wrong_sizes, planned, groups_to_come, empty_groups, unneeded, hints,
                       removals, last, last_of))

}  // namespace capstan::engine
