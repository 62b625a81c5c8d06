/// What outlives a pass, described.
#pragma once

#include "engine/memory.hpp"
#include "runtime/record/described_nouns.hpp"

namespace capstan::engine {

BOOST_DESCRIBE_ENUM(RemovalPhase, tainting, waiting, draining, delayed, deleting, removed, undoing)
BOOST_DESCRIBE_STRUCT(Backoff, (),
                      (since, until, length, last_failure, code, because, found_by, given_back))
BOOST_DESCRIBE_STRUCT(CloudRest, (), (since, until, length, last_failure, failures, code, because))
BOOST_DESCRIBE_STRUCT(FailedCalls, (), (count, last, not_before))
BOOST_DESCRIBE_STRUCT(Make, (), (cloud, machine_type, zone, spot))
BOOST_DESCRIBE_STRUCT(ScaleUpRequest, (), (since, deadline, increase))
BOOST_DESCRIBE_STRUCT(AnsweredTarget, (),
                      (target, since, deadline, agreed, unheard, unheard_until, ended))
BOOST_DESCRIBE_STRUCT(WrongSize, (), (current, expected, since))
BOOST_DESCRIBE_STRUCT(Unneeded, (), (since, ready))
BOOST_DESCRIBE_STRUCT(NodeRemoval::Eviction, (),
                      (agreed, refused, refused_because, refused_code, refused_since, refusals,
                       barred_since))
BOOST_DESCRIBE_STRUCT(NodeRemoval, (),
                      (group, machine, phase, empty, ready, cordoned, since, phase_since,
                       unneeded_since, target, mark, mark_seen, asked, evictions, because))
BOOST_DESCRIBE_STRUCT(RemovalBackoff, (), (until, length, failures, because))
BOOST_DESCRIBE_STRUCT(PlannedNodes, (), (nodes, pods))
BOOST_DESCRIBE_STRUCT(NodeTraits, (), (labels, taints, capacity, allocatable))
BOOST_DESCRIBE_STRUCT(ObservedNode, (), (node, traits, seen))
BOOST_DESCRIBE_STRUCT(SettlingNode, (), (traits, since))
BOOST_DESCRIBE_STRUCT(TemplateRecord, (), (fingerprint, since, settling, observed, idle_node))
BOOST_DESCRIBE_STRUCT(GroupToCome, (), (cloud, plan, nodes, agreed, since, deadline))
BOOST_DESCRIBE_STRUCT(KnownGroup, (), (cloud, nodes, some))
BOOST_DESCRIBE_STRUCT(LastActions, (), (scale_up, removal, failed_removal))
BOOST_DESCRIBE_STRUCT(Memory, (),
                      (started, unread_since_start, backoffs, make_backoffs, cloud_rests,
                       failed_calls, failed_machines, requests, answered_targets, unjoined,
                       launched, created, wrong_sizes, planned, planned_since, templates,
                       groups_to_come, known_groups, empty_groups, unneeded, blind_since, hints,
                       removals, removal_backoffs, decrease_backoffs, unremovable_groups, last,
                       last_of))

}  // namespace capstan::engine
