/// Which kinds of objects an API server serves, and how each is spoken of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation::api_server {

/// Where a custom resource keeps what its scale subresource shows.
struct ScalePaths {
    std::string spec_replicas = "spec.replicas";
    std::string status_replicas = "status.replicas";
    std::string selector{};  ///< of a text; empty: the selector is spec.selector, an object
};

/// A column of a custom resource's table.
struct PrinterColumn {
    std::string name{}, type{}, json_path{};
    int priority = 0;
};

struct ResourceKind {
    std::string group{};  ///< empty: the core's
    std::string version{};
    std::string plural{}, singular{}, kind{};
    std::vector<std::string> short_names{}, categories{};
    bool namespaced = true;
    bool has_status = false;  ///< /status is served, and other writes leave the status alone
    bool keeps_first_status = false;  ///< an object may be born with one
    bool has_generation = false;      ///< metadata.generation counts changes of what is desired
    bool is_custom = false;
    std::optional<ScalePaths> scale{};
    std::vector<PrinterColumn> columns{};  ///< of a custom resource
    ApiObject schema{};                    ///< as its definition writes it; NULL: none

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    /// "pods", "deployments.apps": one for all versions.
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
};

using KindPtr = std::shared_ptr<const ResourceKind>;

/// The built-in ones, and those that custom resource definitions add. [one thread]
class ResourceKinds {
public:
    ResourceKinds();

    /// NULL: not served.
    KindPtr find(std::string_view group, std::string_view version, std::string_view plural) const;
    /// By "pods" or "deployments.apps"; the version that is preferred.
    KindPtr find(std::string_view resource) const;
    const std::vector<KindPtr>& all() const noexcept { return kinds_; }
    /// How often what is served has changed.
    std::uint64_t changes() const noexcept { return changes_; }

    /// Puts the versions of a custom resource in the place of those that were served before.
    void replace(std::string_view resource, std::vector<ResourceKind> versions);

private:
    std::uint64_t changes_ = 0;
    std::vector<KindPtr> kinds_;  ///< groups in the order of discovery, versions by preference
};

}  // namespace capstan::simulation::api_server
