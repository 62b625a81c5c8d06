/// The SDK's nouns, described.
#pragma once

#include <capstan/cloud_provider.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/error.hpp>
#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/taints.hpp>

#include "runtime/record/described.hpp"

CAPSTAN_NAMESPACE_BEGIN

BOOST_DESCRIBE_ENUM(ErrorCode, unsupported, invalid_argument, invalid_config, not_found, conflict,
                    unauthenticated, permission, throttled, quota, out_of_capacity, unavailable,
                    deadline, cancelled, internal, busy)
BOOST_DESCRIBE_ENUM(Operator, in, not_in, exists, does_not_exist, gt, lt)
BOOST_DESCRIBE_ENUM(Effect, no_schedule, prefer_no_schedule, no_execute)
BOOST_DESCRIBE_ENUM(Toleration::Op, equal, exists)
BOOST_DESCRIBE_ENUM(MachineState, requested, creating, running, deleting, failed)

BOOST_DESCRIBE_STRUCT(Error, (), (code, message, provider_code, subject, retry_after))
BOOST_DESCRIBE_STRUCT(Requirement, (), (key, op, values))
BOOST_DESCRIBE_STRUCT(LabelSelector, (), (match_labels, match_expressions))
BOOST_DESCRIBE_STRUCT(NodeSelectorTerm, (), (labels, fields, weight))
BOOST_DESCRIBE_STRUCT(Taint, (), (key, value, effect))
BOOST_DESCRIBE_STRUCT(Toleration, (), (key, op, value, effect))
BOOST_DESCRIBE_STRUCT(Price, (), (per_hour, currency, interruption_rate))
BOOST_DESCRIBE_STRUCT(GroupOptions, (),
                      (utilization_threshold, gpu_utilization_threshold, unneeded_time,
                       unready_time, max_node_provision_time, drain_timeout, zero_or_max,
                       ignore_daemonsets_utilization))
BOOST_DESCRIBE_STRUCT(NodeGroup, (),
                      (id, min, max, target, healthy, health_reason, autoprovisioned,
                       template_fingerprint, debug, tags, spot, zones, price, options))
BOOST_DESCRIBE_STRUCT(NodeTemplate, (),
                      (name, machine_type, zone, arch, os, labels, annotations, taints, capacity,
                       allocatable, free, fingerprint, variants))
BOOST_DESCRIBE_ENUM(LeaveReason, other, spot_interruption, rebalance, maintenance, expiry)
BOOST_DESCRIBE_STRUCT(Leaving, (), (reason, at))
BOOST_DESCRIBE_STRUCT(Machine, (),
                      (id, group, state, machine_type, zone, launched, error, template_fingerprint,
                       node_name, leaves, spot, price_per_hour))
BOOST_DESCRIBE_STRUCT(MachineOffering, (), (zone, spot, labels, price_per_hour, currency))
BOOST_DESCRIBE_STRUCT(MachineType, (), (name, labels, taints, capacity, allocatable, offerings))
BOOST_DESCRIBE_STRUCT(GroupPlan, (), (name, machine_type, zone, spot, labels, taints))
BOOST_DESCRIBE_STRUCT(PlannedGroup, (), (group, node))

CAPSTAN_NAMESPACE_END
