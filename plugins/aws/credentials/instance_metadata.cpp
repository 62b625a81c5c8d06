// The metadata service of an EC2 instance, version 2.
#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/attempts.hpp>
#include <capstan/duration.hpp>
#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>

#include "served_credentials.hpp"
#include "sources.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;

constexpr Duration metadata_timeout = 1s;
constexpr const char* roles_path = "iam/security-credentials/";

std::string metadata_url(const CredentialLookup& lookup) {
    std::string url = lookup.config.imds_endpoint;
    if (url.empty()) url = lookup.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    while (url.ends_with('/')) url.pop_back();
    if (!url.empty()) return url;
    const std::string mode = lookup.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    const bool is_ipv6 = mode == "IPv6" || mode == "ipv6";
    return is_ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}

/// A reply of any status, or why there is none.
Task<HttpReply> ask_metadata(SharedLookup lookup, HttpRequest request) {
    RetryPolicy policy;
    policy.delay = 500ms;
    request.direct().within(metadata_timeout);
    RetryingClient client(lookup->host, std::move(policy));
    co_return co_await client.send(std::move(request), Repeatable::yes);
}

MetadataText no_metadata(std::string why, bool is_transient) {
    MetadataText out;
    out.absence = std::move(why);
    out.is_transient = is_transient;
    return out;
}

/// With a hop limit of 1 the service's packets are dropped on their way into a pod; the only
/// symptom is a timeout.
constexpr const char* hop_limit_advice =
    "; from a pod, the instance metadata options need a hop limit of 2 (aws ec2 "
    "modify-instance-metadata-options --http-put-response-hop-limit 2)";

/// The session token of IMDSv2.
Task<MetadataText> open_metadata(SharedLookup lookup) {
    HttpRequest request("PUT", metadata_url(*lookup) + "/latest/api/token");
    request.header("x-aws-ec2-metadata-token-ttl-seconds", "21600");
    const Result<HttpReply> reply = co_await as_result(ask_metadata(lookup, std::move(request)));
    if (!reply) {
        const bool is_silent = reply.error().code == ErrorCode::deadline;
        co_return no_metadata(reply.error().message + (is_silent ? hop_limit_advice : ""),
                              reply.error().code != ErrorCode::permission);
    }
    if (reply->status == 403)
        co_return no_metadata("disabled for this instance (status 403)", false);
    if (!is_success(*reply) || reply->body.empty())
        co_return no_metadata("no token returned: " + served_refusal(reply->status, reply->body),
                              false);
    MetadataText out;
    out.text = reply->body;
    co_return out;
}

Task<MetadataText> get_metadata(SharedLookup lookup, std::string token, std::string path) {
    HttpRequest request("GET", metadata_url(*lookup) + "/latest/meta-data/" + path);
    request.header("x-aws-ec2-metadata-token", std::move(token));
    const Result<HttpReply> reply = co_await as_result(ask_metadata(lookup, std::move(request)));
    if (!reply) co_return no_metadata(reply.error().message, true);
    if (reply->status == 404) co_return no_metadata("not found: " + path + " (status 404)", false);
    if (!is_success(*reply))
        co_return no_metadata(path + ": " + served_refusal(reply->status, reply->body), false);
    MetadataText out;
    out.text = reply->body;
    co_return out;
}

/// Whether the text is a valid role name, and not a page of some other server.
bool is_role_name(std::string_view name) noexcept {
    constexpr std::size_t longest = 128;
    return !name.empty() && name.size() <= longest &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return is_ascii_alnum(c) ||
                      std::string_view("+=,.@_-").find(c) != std::string_view::npos;
           });
}

std::string first_metadata_line(std::string_view text) {
    std::string_view line = text.substr(0, text.find('\n'));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    return std::string(line);
}

/// The service has new credentials before the old ones expire. If it does not, the service is
/// impaired, and AWS then accepts an instance's credentials after they expired.
void extend_served(Credentials& credentials, const Host& host) {
    constexpr Duration longer = 10min, jitter = 5min;
    if (!credentials.expires || *credentials.expires > host.now()) return;
    const Duration more = longer + share_of(jitter, host.random_share());
    credentials.expires = host.now() + more;
    host.warn("instance metadata returned expired credentials; they stay in use",
              {field("for", format_rough_duration(more))});
}

SourceAnswer metadata_absence(std::string why) {
    SourceAnswer out;
    out.absence = std::move(why);
    return out;
}

}  // namespace

Task<MetadataText> read_metadata(SharedLookup lookup, std::string path) {
    if (is_switched_on(lookup->variables, "AWS_EC2_METADATA_DISABLED"))
        co_return no_metadata("AWS_EC2_METADATA_DISABLED is true", false);
    MetadataText token = co_await open_metadata(lookup);
    if (!token.text) co_return token;
    co_return co_await get_metadata(lookup, *token.text, std::move(path));
}

Task<SourceAnswer> ask_instance_metadata(SharedLookup lookup) {
    if (is_switched_on(lookup->variables, "AWS_EC2_METADATA_DISABLED"))
        co_return metadata_absence("AWS_EC2_METADATA_DISABLED is true");
    const MetadataText token = co_await open_metadata(lookup);
    if (!token.text) co_return metadata_absence(token.absence);
    const MetadataText roles = co_await get_metadata(lookup, *token.text, roles_path);
    if (!roles.text)
        co_return metadata_absence(roles.absence + "; does the instance have an instance profile?");
    const std::string role = first_metadata_line(*roles.text);
    if (!is_role_name(role)) co_return metadata_absence("unexpected role name " + in_quotes(role));
    const MetadataText served = co_await get_metadata(lookup, *token.text, roles_path + role);
    if (!served.text) co_return metadata_absence(served.absence);
    Result<Credentials> read = parse_served_credentials(*served.text);
    if (!read) co_return fail(within("role " + role, read.error()));
    extend_served(*read, lookup->host);
    read->source = "the instance's role " + role;
    SourceAnswer out;
    out.credentials = std::move(*read);
    co_return out;
}

}  // namespace capstan::aws
