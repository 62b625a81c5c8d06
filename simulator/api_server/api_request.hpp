/// What a request asks for, and the merge keys of the API's lists.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "io/http_server.hpp"
#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/resource_kinds.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

// Which lists of the API are merged by a member of their elements, and which are replaced whole.

/// The place of a list in an object, as far as the place says which list it is.
struct ListPlace {
    std::string_view parent{};  ///< the nearest member above: "containers", "spec"
    std::string_view field{};   ///< the member: "ports"
    bool is_custom = false;     ///< in a custom resource: its own lists have no merge keys
};

/// The merge key of a list: "containerPort" for a container's ports. Empty: the list has no merge
/// key, and a patch replaces it.
std::string_view merge_key(const ListPlace& place);
/// Whether the list is a set of texts: finalizers.
bool is_set(const ListPlace& place);

/// The element with the member `key` equal to `value`; NULL: there is none.
json::object* find_element(json::array& list, std::string_view key, const json::value& value);

// A request, read from its method, path, query and headers.

/// The form in which a client wants objects.
enum class Form {
    object,
    table,         ///< rows and columns for people
    metadata,      ///< PartialObjectMetadata
    discovery_v2,  ///< aggregated discovery
    discovery_v2beta1,
};

struct Accepted {
    Form form = Form::object;
    std::string version{};  ///< of meta.k8s.io, for tables and metadata: "v1"
};

/// The first form of an Accept header that is served. Absent: none of them is served.
std::optional<Accepted> accepted_form(std::string_view accept);

/// The group, version, resource and object of the path need not exist.
struct ApiRequest {
    /// "get", "list", "watch", "create", "update", "patch", "delete" or "deletecollection"; empty:
    /// the method has no verb.
    std::string verb{};
    std::string group{}, version{}, plural{};
    std::string space{}, name{}, subresource{};
    std::string path{};  ///< without the query
    std::map<std::string, std::string, std::less<>> query{};
    std::string content_type{};  ///< without parameters
    std::string user_agent{};
    Accepted accepted{};
    std::string body{};

    /// The value of a query parameter; empty: it is not given.
    std::string_view option(std::string_view key) const;
    bool is_set(std::string_view key) const { return option(key) == "true" || option(key) == "1"; }
    bool is_dry_run() const { return option("dryRun") == "All"; }
    /// The field manager: fieldManager of the query, or the product name of the user agent.
    std::string manager() const;
    std::string resource() const { return group.empty() ? plural : plural + "." + group; }
};

/// 400: the path is malformed; 406: no form of the Accept header is served.
Answer<ApiRequest> parse_request(const io::ServedRequest& request);

/// The body as JSON, decoded from protobuf if need be. 415: the body is in another encoding; 400:
/// the body is not an object.
Answer<json::object> parse_body(const ApiRequest& request);
/// A revision of a query; zero for "" and "0". 400: the text is not a revision.
Answer<std::uint64_t> parse_revision(std::string_view text);

}  // namespace capstan::simulator::api_server
