/// Status objects as errors, and rules by request: rate limit, resending, limits of replies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/kube_api.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes::client {

/// The API's Status object, by which the server explains a failure.
struct ApiStatus {
    int code = 0;                       ///< 0: absent
    std::string reason{};               ///< "Expired", "AlreadyExists"
    std::string message{};              ///< one printable line
    std::vector<std::string> causes{};  ///< "DisruptionBudget: The disruption budget web needs ..."
    std::optional<Duration> retry_after{};
};

/// Absent: the object is not a Status.
std::optional<ApiStatus> find_status(const boost::json::object& object);
std::optional<ApiStatus> find_status(std::string_view json);

/// The ErrorCode of an HTTP status other than 200 to 299; Api::send has the table.
ErrorCode error_code_of_status(int http_status) noexcept;

/// "`what`: 410 Expired: too old resource version", followed by the causes in parentheses. Also for
/// the ERROR event of a watch, whose object is a Status.
Error error_of(std::string_view what, const ApiStatus& status);
/// For a reply with another status than 2xx. Its body may be a Status or any text.
Error error_of(std::string_view what, const HttpReply& reply);

/// The seconds in a reply's Retry-After header. Absent: there is no such header, or it holds a date
/// or more than a day.
std::optional<Duration> find_retry_after(const HttpReply& reply);

// Rules by request.

/// Whether the request changes nothing in the cluster, so that a dry run may send it: a GET or
/// HEAD, or the POST of a SelfSubjectAccessReview or of another self-subject review.
bool is_question(const ApiRequest& request);

bool is_watch(const ApiRequest& request);

/// The purpose of the requests that check, after an outage, whether the server was restored.
inline constexpr std::string_view version_check_purpose = "version check";

/// Whether the client's rate limit does not apply. A watch lasts for minutes and is not a load
/// meanwhile. A version check belongs to a watch, and must not delay the requests of a pass. A
/// Lease request must not wait behind other requests, or a busy leader would lose its
/// Lease.
bool is_unlimited(const ApiRequest& request);

/// Requests with this purpose have a rate limit of their own, as high as that of all others.
inline constexpr std::string_view node_look_purpose = "node look";

inline constexpr int resend_limit = 10;

/// The limit of a reply that comes as a whole, in decompressed bytes; streams have no such limit.
/// An object takes up to 1.5 MiB in the server's database and grows when it is encoded as JSON, so
/// the limit is 8 MiB for most requests. It is 1 MiB for /version, 32 MiB for discovery, and 128
/// MiB for all pods of a node, unless the request has a limit of its own.
std::uint64_t max_reply_bytes_of(const ApiRequest& request);

/// How long to wait before the request is sent again after `reply`, which is not 2xx. Absent: the
/// request is not sent again, and the caller gets the error. That is so for a status other than 429
/// and 5xx; without a Retry-After; for evictions, whose 429 means a disruption budget; and if the
/// requested resourceVersion is newer than the server's cache.
std::optional<Duration> find_resend_delay(const ApiRequest& request, const HttpReply& reply);
/// How long to wait before the request is sent again after its connection was lost for the
/// `losses`th time, counted from 1. Absent: the server may have carried out the request.
std::optional<Duration> find_resend_delay(const ApiRequest& request, int losses);

/// The request's URL below the server's URL, which may have a path of its own.
std::string url_of(std::string_view server, const ApiRequest& request);

/// The texts of the Warning headers with code 299, by which a server reports deprecated APIs.
std::vector<std::string> warnings_of(const HttpHeaders& headers);

// Objects of replies stay JSON. kubernetes/base/json_path.hpp reads and changes them without loss
// of members that this program does not know.

/// Parses a reply's body. `unavailable`: the body is not a JSON object, so the server that
/// responded is no API server, or not yet one.
Result<boost::json::object> parse_object(const ApiReply& reply);
/// Parses the body of a successful result; an error is returned as it is.
Result<boost::json::object> parse_object(Result<ApiReply> reply);

// Without these checks any other document would pass for an empty list, and decisions would follow
// that there are no such objects.

/// Whether a document with this apiVersion and kind is a list of `of`. `unavailable`: it is not.
Result<void> check_list_kind(const ApiResource& of, std::string_view api_version,
                             std::string_view kind);
/// The objects of a list of `of`; they belong to `list`. `unavailable`: it is not such a list.
Result<const boost::json::array*> items_of(const boost::json::object& list, const ApiResource& of);

}  // namespace capstan::kubernetes::client
