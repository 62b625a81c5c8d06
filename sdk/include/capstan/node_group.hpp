/// A node group: machines of one kind that a cloud scales together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/labels.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The price of one node.
struct Price {
    std::optional<double> per_hour{};  ///< at least 0; absent: unknown
    std::string currency = "USD";      ///< ISO 4217: three capital letters
    std::optional<double>
        interruption_rate{};  ///< per hour, 0 to 1: how often the cloud reclaims such a node
    bool operator==(const Price&) const = default;
};

/// A group's own autoscaling options. The host's default is used for an absent option.
struct GroupOptions {
    std::optional<double> utilization_threshold{}, gpu_utilization_threshold{};  ///< 0 to 1
    std::optional<Duration> unneeded_time{}, unready_time{};
    std::optional<Duration> max_node_provision_time{};
    std::optional<Duration> drain_timeout{};
    std::optional<bool> zero_or_max{};  ///< always empty or full
    std::optional<bool> ignore_daemonsets_utilization{};
    /// How long a ready node may lack an extended resource of its template, and how long it may
    /// lack a label or have additional taints.
    std::optional<Duration> device_settling_time{}, settling_time{};
    bool operator==(const GroupOptions&) const = default;
};

/// A group as its cloud reports it. Unknown values are absent, never zero.
struct NodeGroup {
    NodeGroupId id{};  ///< unique within one cloud, not empty; see capstan_group
    std::optional<int> min{}, max{};
    /// Requested machines, including those still starting, without those being deleted.
    std::optional<int> target{};
    std::optional<bool> healthy{};  ///< false: the cloud reports that the group cannot grow now
    std::string health_reason{};    ///< a sentence, when not healthy
    bool autoprovisioned = false;   ///< created by node auto-provisioning, may be deleted
    std::string template_fingerprint{};     ///< equal text = equal template; empty: unknown
    std::string debug{};                    ///< for debugging
    Labels tags{};                          ///< the cloud's own
    std::optional<bool> spot{};             ///< the cloud may reclaim its machines
    std::vector<std::string> zones{};       ///< zones of its machines; empty: unknown
    std::optional<Price> price{};           ///< of a new node; absent: the hook `price` is called
    std::optional<GroupOptions> options{};  ///< absent: the hook `options` is called

    bool operator==(const NodeGroup&) const = default;
};

CAPSTAN_NAMESPACE_END
