/// What an API server says about the kinds it serves, in the forms it says it in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace capstan::kubernetes {

struct ServedKind {
    std::string group{};  ///< "apps"; empty: the core's
    std::string version{};
    std::string kind{};
    std::string plural{};  ///< as paths have it
    bool has_namespace = false;
    bool has_scale = false;
    bool operator==(const ServedKind&) const = default;
};

/// By group; in each the preferred version first.
using ServedKinds = std::map<std::string, std::vector<ServedKind>>;

/// What to accept, so that a server from 1.27 on tells everything at once, and an older one, or one
/// of another make, what it always told.
inline constexpr std::string_view discovery_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

/// Everything at once, an APIGroupDiscoveryList. Nothing: it is something else.
std::optional<ServedKinds> find_served_kinds(const boost::json::object& document);

/// The versions of `group` in an APIGroupList, or in the core's APIVersions, the preferred one
/// first. Empty: it is not there.
std::vector<std::string> versions_of(const boost::json::object& document, std::string_view group);

/// The kinds of one version, from its APIResourceList.
std::vector<ServedKind> served_kinds_of(const boost::json::object& document, std::string_view group,
                                        std::string_view version);

}  // namespace capstan::kubernetes
