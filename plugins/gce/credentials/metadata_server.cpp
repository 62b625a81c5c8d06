// The metadata server of Compute Engine and GKE. It is always called directly, without a proxy.
#include <chrono>
#include <utility>

#include <capstan/http_error.hpp>
#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>

#include "../wire/gce_error.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

constexpr Duration metadata_timeout = std::chrono::seconds(1);

/// "http://metadata.google.internal", or the host of the settings or environment, which may have a
/// port.
std::string metadata_url(const TokenLookup& lookup) {
    std::string host = lookup.config.metadata_host;
    if (host.empty()) host = lookup.variable("GCE_METADATA_HOST");
    if (host.empty()) host = "metadata.google.internal";
    while (host.ends_with('/')) host.pop_back();
    return host.starts_with("http://") ? host : "http://" + host;
}

Task<std::string> ask_metadata(SharedLookup lookup, std::string path) {
    HttpRequest request("GET", metadata_url(*lookup) + "/computeMetadata/v1/" + path);
    request.header("metadata-flavor", "Google").direct().within(metadata_timeout);
    RetryPolicy policy;
    policy.delay = std::chrono::milliseconds(500);
    const Result<HttpReply> reply =
        co_await as_result(send_with_retry(lookup->host, request, policy, Repeatable::yes));
    if (!reply) {
        Error error = within("the metadata server", reply.error());
        if (error.code == ErrorCode::deadline) error.code = ErrorCode::unavailable;
        co_return fail(std::move(error));
    }
    if (reply->header("metadata-flavor") != "Google")
        co_return fail(ErrorCode::not_found, "the metadata server: the server at " +
                                                 metadata_url(*lookup) + " is not Google's");
    if (!is_success(*reply)) {
        const bool is_transient = http_error_code(reply->status) == ErrorCode::unavailable ||
                                  http_error_code(reply->status) == ErrorCode::throttled;
        co_return fail(is_transient ? ErrorCode::unavailable : ErrorCode::not_found,
                       "the metadata server has no " + path + ": " +
                           read_gce_error(*reply).message + " (status " +
                           std::to_string(reply->status) + ")");
    }
    co_return reply->body;
}

}  // namespace

Task<std::string> read_metadata(SharedLookup lookup, std::string path) {
    return ask_metadata(std::move(lookup), std::move(path));
}

Task<AccessToken> ask_metadata_token(SharedLookup lookup) {
    const std::string source = "the metadata server";
    const std::string body =
        co_await ask_metadata(lookup, "instance/service-accounts/default/token");
    const Result<Json> answer = parse_json(body);
    if (!answer || !answer->is_object())
        co_return fail(ErrorCode::unavailable, source + ": the token is not JSON");
    co_return read_token_answer(lookup->host, *answer, source);
}

}  // namespace capstan::gce
