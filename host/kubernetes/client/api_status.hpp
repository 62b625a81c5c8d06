/// What the API says when it refuses: its Status object, and what a caller makes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/kube_api.hpp"

namespace capstan::kubernetes::client {

struct ApiStatus {
    int code = 0;                       ///< 0: it names none
    std::string reason{};               ///< "Expired", "AlreadyExists"
    std::string message{};              ///< one printable line
    std::vector<std::string> causes{};  ///< "DisruptionBudget: The disruption budget web needs ..."
    std::optional<Duration> retry_after{};
};

/// Nothing: that is no Status object.
std::optional<ApiStatus> find_status(const boost::json::object& object);
std::optional<ApiStatus> find_status(std::string_view json);

/// What the caller of a request that came back with this HTTP status does, as Api tells; 200 to 299
/// are no errors.
ErrorCode error_code_of_status(int http_status) noexcept;

/// "`what`: 410 Expired: too old resource version", with causes behind. Also for the ERROR of a
/// watch, whose object is a Status.
Error error_of(std::string_view what, const ApiStatus& status);
/// A reply of another status than 2xx, whether its body is a Status or anything else.
Error error_of(std::string_view what, const HttpReply& reply);

/// The seconds in a reply's Retry-After; nothing: it has none, or a date.
std::optional<Duration> find_retry_after(const HttpReply& reply);

// Which requests may be sent, and which may be sent again.

/// Whether it leaves the cluster as it is: a GET or HEAD, or a question about oneself, which is put
/// as a POST (SelfSubjectAccessReview and its like).
bool is_question(const ApiRequest& request);

/// A watch lasts for minutes, and is no load while it does.
bool is_watch(const ApiRequest& request);

/// Not held up by the client's rate limit: watches, and what holds a Lease, for a leader that has
/// much to do would lose it while its renewals wait behind all of that.
bool is_unlimited(const ApiRequest& request);

/// Requests of this purpose have a rate limit of their own, as high as that of all others.
inline constexpr std::string_view node_look_purpose = "node look";

inline constexpr int resend_limit = 10;

/// How long a reply may be that comes as a whole, unpacked; streams have no such limit. An object
/// has 1.5 MiB in a server's database and grows when it is written as JSON, so most have 8 MiB;
/// /version 1 MiB, documents of discovery 32 MiB, all pods of a node 128 MiB, and what plugins ask
/// for 256 MiB, below which they have limits of their own.
std::uint64_t max_reply_bytes_of(const ApiRequest& request);

/// When to send it again after `reply`, which is none of 2xx. Nothing: the caller decides, as
/// without a Retry-After, and always on evictions, whose 429 means a disruption budget, and where a
/// version is newer than all that the server has at hand.
std::optional<Duration> find_resend_delay(const ApiRequest& request, const HttpReply& reply);
/// When to send it again after its connection was lost for the `losses`th time, from 1. Nothing: it
/// may have been carried out.
std::optional<Duration> find_resend_delay(const ApiRequest& request, int losses);

/// Where `request` goes: the server's URL, which may have a path of its own, and the request's.
std::string url_of(std::string_view server, const ApiRequest& request);

/// The texts of the Warning headers with which a server tells of deprecated APIs (code 299).
std::vector<std::string> warnings_of(const HttpHeaders& headers);

// Objects that an API server answers, as the JSON they came as; kubernetes/base/json_path.hpp
// reads and changes it without losing what this program knows nothing of.

/// A reply's body. `unavailable`: it is no JSON object, so the server that answered is not, or not
/// yet, an API server.
Result<boost::json::object> parse_object(const ApiReply& reply);
/// The same of whatever a request came back with.
Result<boost::json::object> parse_object(Result<ApiReply> reply);

}  // namespace capstan::kubernetes::client
