/// A node group: machines of one make that a cloud grows and shrinks together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/labels.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// What one node costs.
struct Price {
    std::optional<double> per_hour{};           ///< at least 0; nothing: not known
    std::string currency = "USD";               ///< ISO 4217: three capital letters
    std::optional<double> interruption_rate{};  ///< per hour, 0 to 1: how often it is taken back
    bool operator==(const Price&) const = default;
};

/// A group's own autoscaling options; what is absent leaves the host's default alone.
struct GroupOptions {
    std::optional<double> utilization_threshold{}, gpu_utilization_threshold{};  ///< 0 to 1
    std::optional<Duration> unneeded_time{}, unready_time{};
    std::optional<Duration> max_node_provision_time{};
    std::optional<Duration> drain_timeout{};
    std::optional<bool> zero_or_max{};  ///< only ever empty or full
    std::optional<bool> ignore_daemonsets_utilization{};
    /// How long after it became ready a node may lack an extended resource of its template, and how
    /// long it may lack a label or have another taint.
    std::optional<Duration> device_settling_time{}, settling_time{};
    bool operator==(const GroupOptions&) const = default;
};

/// As its cloud sees it. What the cloud does not say is absent, never zero.
struct NodeGroup {
    NodeGroupId id{};  ///< unique within one cloud, not empty; see capstan_group
    std::optional<int> min{}, max{};
    /// Machines asked for, including those still starting, without those that leave.
    std::optional<int> target{};
    std::optional<bool> healthy{};          ///< false: the cloud itself says it cannot grow now
    std::string health_reason{};            ///< a sentence, when not healthy
    bool autoprovisioned = false;           ///< made by node auto-provisioning, may be deleted
    std::string template_fingerprint{};     ///< equal text = equal template; empty: unknown
    std::string debug{};                    ///< for people
    Labels tags{};                          ///< the provider's own
    std::optional<bool> spot{};             ///< the cloud may take its machines back
    std::vector<std::string> zones{};       ///< where its machines may be made; empty: unknown
    std::optional<Price> price{};           ///< of a new node; nothing: the hook is asked
    std::optional<GroupOptions> options{};  ///< nothing: the hook is asked

    bool operator==(const NodeGroup&) const = default;
};

CAPSTAN_NAMESPACE_END
