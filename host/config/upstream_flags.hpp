/// The keys that replace the command line flags of Kubernetes' Cluster Autoscaler ("upstream").
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::config {

struct UpstreamFlag {
    std::string_view name;      ///< without dashes in front: "scale-down-unneeded-time"
    std::string_view key;       ///< dotted; empty: no key replaces the flag
    std::string_view remark{};  ///< how the values differ, or why there is no key; may be empty

    /// "--scale-down-unneeded-time".
    std::string text() const { return "--" + std::string(name); }
};

/// Sorted by name. docs/defaults.md has the same table.
std::span<const UpstreamFlag> upstream_flags();

/// The flag with this name, which may begin with dashes, have '_' for '-', and end with a value:
/// `--cores-total=0:100`, `cores_total`. NULL: upstream has no flag with this name.
const UpstreamFlag* find_upstream_flag(std::string_view name);

/// All flags that this key replaces.
std::vector<const UpstreamFlag*> upstream_flags_of(std::string_view key);

/// "; the key for upstream's --scan-interval is cluster.scan_interval", for the end of a message
/// about an unknown key. Empty: upstream has no flag with this name.
std::string upstream_flag_hint(std::string_view name);

}  // namespace capstan::config
