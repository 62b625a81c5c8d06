/// A node group: machines of one make that a cloud grows and shrinks together.
#pragma once

#include <optional>
#include <string>

#include <capstan/ids.hpp>
#include <capstan/labels.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// As its cloud sees it. What the cloud does not say is absent, never zero.
struct NodeGroup {
    NodeGroupId id{};  ///< unique within one cloud, not empty; see capstan_group
    std::optional<int> min{}, max{};
    std::optional<int> target{};         ///< machines asked for, including those still starting
    std::optional<bool> healthy{};       ///< false: the cloud itself says it cannot grow now
    std::string health_reason{};         ///< a sentence, when not healthy
    bool autoprovisioned = false;        ///< made by node auto-provisioning, may be deleted
    std::string template_fingerprint{};  ///< equal text = equal template; empty: unknown
    std::string debug{};                 ///< for people
    Labels tags{};                       ///< the provider's own

    bool operator==(const NodeGroup&) const = default;
};

CAPSTAN_NAMESPACE_END
