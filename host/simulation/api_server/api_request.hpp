/// Which lists of the API are merged by a member of their elements, and which are replaced whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "io/http_server.hpp"
#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// A place in an object, as far as it tells which list stands there.
struct ListPlace {
    std::string_view parent{};  ///< the nearest member above: "containers", "spec"
    std::string_view field{};   ///< the member: "ports"
    bool is_custom = false;     ///< in a custom resource: only what all objects have is known
};

/// "containerPort" of a container's ports. Empty: the list has none, and is replaced.
std::string_view merge_key(const ListPlace& place);
/// A list of texts in which each is there once: finalizers.
bool is_set(const ListPlace& place);

/// The element whose member `key` is `value`; NULL: none.
json::object* find_element(json::array& list, std::string_view key, const json::value& value);

// What a request asks for, read from its method, path, query and headers.

/// How objects are to be shown.
enum class Form {
    object,
    table,         ///< rows and columns for people
    metadata,      ///< PartialObjectMetadata
    discovery_v2,  ///< all groups at once
    discovery_v2beta1,
};

struct Accepted {
    Form form = Form::object;
    std::string version{};  ///< of meta.k8s.io, for tables and metadata: "v1"
};

/// The first form of an Accept header that is served. Nothing: none is.
std::optional<Accepted> accepted_form(std::string_view accept);

/// "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; what the
/// path names may not be there.
struct ApiRequest {
    std::string verb{};
    std::string group{}, version{}, plural{};
    std::string space{}, name{}, subresource{};
    std::string path{};  ///< without the query
    std::map<std::string, std::string, std::less<>> query{};
    std::string content_type{};  ///< without parameters
    std::string user_agent{};
    Accepted accepted{};
    std::string body{};

    /// Empty: not given.
    std::string_view option(std::string_view key) const;
    bool is_set(std::string_view key) const { return option(key) == "true" || option(key) == "1"; }
    bool is_dry_run() const { return option("dryRun") == "All"; }
    /// The writer: fieldManager, or the first word of the user agent.
    std::string manager() const;
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
};

/// 406: no form that is asked for is served.
Answer<ApiRequest> parse_request(const io::ServedRequest& request);

/// The body as JSON. 415: it is in another encoding, 400: it is no object.
Answer<json::object> parse_body(const ApiRequest& request);
/// A revision that is written in a query; zero for "" and "0". 400: none.
Answer<std::uint64_t> parse_revision(std::string_view text);

}  // namespace capstan::simulation::api_server
