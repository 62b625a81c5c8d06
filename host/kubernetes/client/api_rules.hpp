/// Which requests may be sent, and which may be sent again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/client/api.hpp"

namespace capstan::kubernetes {

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

}  // namespace capstan::kubernetes
