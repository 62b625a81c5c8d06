/// The kinds of objects that an API server serves: their names and their traits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api_server/api_object.hpp"

namespace capstan::simulator::api_server {

/// The paths of the members that the scale subresource of an object shows.
struct ScalePaths {
    std::string spec_replicas = "spec.replicas";
    std::string status_replicas = "status.replicas";
    /// The path of a selector that is text; empty: a built-in kind has an object at spec.selector,
    /// and a custom resource has no selector.
    std::string selector{};
};

/// A column of a custom resource's table.
struct PrinterColumn {
    std::string name{}, type{}, json_path{};
    int priority = 0;
};

struct ResourceKind {
    std::string group{};  ///< empty: the core group
    std::string version{};
    std::string plural{}, singular{}, kind{};
    std::vector<std::string> short_names{}, categories{};
    bool namespaced = true;
    bool has_status = false;  ///< /status is served, and other writes leave the status alone
    bool keeps_initial_status = false;  ///< a create may set the status
    bool has_generation = false;        ///< metadata.generation counts changes of the desired state
    bool is_custom = false;
    std::optional<ScalePaths> scale{};
    std::vector<PrinterColumn> columns{};  ///< of a custom resource
    ApiObject schema{};                    ///< openAPIV3Schema of the definition; NULL: none

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    /// "pods", "deployments.apps": the same for all versions.
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
};

using KindPtr = std::shared_ptr<const ResourceKind>;

/// The built-in kinds, and the kinds that custom resource definitions add. [one thread]
class ResourceKinds {
public:
    ResourceKinds();

    /// NULL: the kind is not served.
    KindPtr find(std::string_view group, std::string_view version, std::string_view plural) const;
    /// The preferred version of "pods" or "deployments.apps". NULL: the resource is not served.
    KindPtr find(std::string_view resource) const;
    const std::vector<KindPtr>& all() const noexcept { return kinds_; }
    /// The number of changes of the set of kinds.
    std::uint64_t changes() const noexcept { return changes_; }

    /// Replaces the served versions of a custom resource; no versions: it is no longer served.
    void replace(std::string_view resource, std::vector<ResourceKind> versions);

private:
    std::uint64_t changes_ = 0;
    std::vector<KindPtr> kinds_;  ///< groups in the order of discovery, versions by preference
};

}  // namespace capstan::simulator::api_server
