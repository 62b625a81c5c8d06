/// The part of a cluster's state that decides whether another machine is needed. Two passes with
/// equal pictures must not both ask for machines.
#pragma once

#include <map>
#include <set>
#include <string>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {

/// Holds names and no indices, so that pictures of different passes can be compared.
struct Picture {
    std::set<std::string> waiting{};  ///< pods without a node
    /// "default/web-1 on n1"; without DaemonSet pods, mirror pods and pods being deleted.
    std::set<std::string> running{};
    /// Name, readiness, cordon and taints of each, and whether it still settles.
    std::set<std::string> nodes{};
    /// Nodes whose machine no cloud lists. The target may include it, so it counts as upcoming.
    std::set<std::string> unlisted{};
    std::set<std::string> going{};         ///< nodes with a removal under way, by Memory
    std::set<std::string> backed_off{};    ///< groups
    std::map<std::string, int> targets{};  ///< by group
};
Picture picture_of(const Moment& moment);

/// Whether a node is not ready, or a machine failed or is announced to leave. Each may justify
/// another machine even if the autoscaler has forgotten nothing.
bool has_failures(const Moment& moment);
/// Whether the pass takes machines back that failed, never joined or were never made. It may then
/// rightly ask for others in their place.
bool gives_up_machines(const engine::Decision& decision);
/// Whether the increase is the single machine that probes a group which is backed off until a
/// machine joins. It is asked for without a pod.
bool probes_backoff(const Moment& moment, const engine::Increase& increase);

}  // namespace capstan::simulator::chaos
