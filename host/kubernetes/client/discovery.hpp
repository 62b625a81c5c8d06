/// Discovery: the kinds that an API server serves, and their paths.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

#include "kubernetes/client/open_calls.hpp"

namespace capstan::kubernetes::client {

struct ServedKind {
    std::string group{};  ///< "apps"; empty: core
    std::string version{};
    std::string kind{};
    std::string plural{};  ///< the resource in paths: "deployments"
    bool has_namespace = false;
    bool has_scale = false;  ///< the Scale subresource
    bool operator==(const ServedKind&) const = default;
};

/// By group; within a group, kinds of the preferred version first.
using ServedKinds = std::map<std::string, std::vector<ServedKind>>;

/// The Accept header of a discovery request. A server from 1.27 on answers with aggregated
/// discovery, all groups in one document. Other servers answer with the list of groups or versions.
inline constexpr std::string_view discovery_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

/// All kinds of an APIGroupDiscoveryList. Absent: the document is of another kind.
std::optional<ServedKinds> find_served_kinds(const boost::json::object& document);

/// The versions of `group` in an APIGroupList, or of the core group in APIVersions, the preferred
/// version first. Empty: the document does not have the group.
std::vector<std::string> versions_of(const boost::json::object& document, std::string_view group);

/// The kinds of one version, from its APIResourceList.
std::vector<ServedKind> served_kinds_of(const boost::json::object& document, std::string_view group,
                                        std::string_view version);

/// A kind as references in objects name it.
struct KindName {
    std::string api_version{};  ///< "apps/v1", "v1"; empty: core, any version
    std::string kind{};
};

/// Finds the path of a kind, and caches what the server answered. An unknown kind is looked for
/// again after `between` at the earliest, so that a misspelt kind is not a load. A known kind is
/// looked for again after five minutes, because its CustomResourceDefinition may change. If that
/// fails, the cached kind stays valid. Used on the loop's thread alone.
class Discovery {
public:
    using Done = std::function<void(Result<ServedKind>)>;

    /// Borrows `api` and `loop`.
    Discovery(Api& api, io::Loop& loop, Duration between = std::chrono::seconds(10))
        : between_(between), calls_(api, loop) {}

    /// `not_found`: the server does not serve the kind. `done` is not called inside this call, nor
    /// after this object's destruction.
    void resolve(const KindName& name, Done done);

private:
    struct Waiting {
        KindName name;
        Done done;
    };
    struct Legacy;
    const ServedKind* find(const KindName& name) const;
    bool knows_enough(const KindName& name) const;
    Result<ServedKind> result_of(const KindName& name) const;
    void ask(const std::string& group, std::string accept);
    void take(const std::string& group, const boost::json::object& document);
    void ask_version(std::shared_ptr<Legacy> legacy);
    void keep_known(Legacy& legacy, const std::string& version);
    void finish(const std::string& group, const Result<void>& result);

    const Duration between_;
    ServedKinds known_{};
    std::map<std::string, Duration> asked_at_{};  ///< by group
    std::map<std::string, std::vector<Waiting>> waiting_{};
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
