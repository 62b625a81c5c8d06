#include "sts_roles.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>

#include "../wire/aws_client.hpp"
#include "../wire/static_credentials.hpp"

namespace capstan::aws {
namespace {

constexpr Duration sts_timeout = std::chrono::seconds(10);

ClientConfig sts_config(const CredentialLookup& lookup) {
    ClientConfig out;
    out.region = lookup.config.region.empty() ? "us-east-1" : lookup.config.region;
    out.endpoints = lookup.config.endpoints;
    out.timeout = sts_timeout;
    return out;
}

/// A session name that STS accepts: 2 to 64 letters, digits and "_=,.@-+".
std::string session_name_of(const CredentialLookup& lookup, const RoleRequest& request) {
    constexpr std::size_t longest = 64;
    std::string out = request.session_name;
    if (out.empty()) out = lookup.config.session_name;
    if (out.empty()) out = lookup.variable("AWS_ROLE_SESSION_NAME");
    if (out.size() < 2) out = "capstan";
    const auto is_taken = [](char c) {
        return is_ascii_alnum(c) || std::string_view("_=,.@-+").find(c) != std::string_view::npos;
    };
    for (char& c : out) c = is_taken(c) ? c : '-';
    return out.substr(0, longest);
}

QueryRequest role_request(const char* action, const CredentialLookup& lookup,
                          const RoleRequest& request) {
    QueryRequest out(Service::sts, action);
    out.set("RoleArn", request.role_arn).set("RoleSessionName", session_name_of(lookup, request));
    if (request.duration_seconds) out.set("DurationSeconds", *request.duration_seconds);
    return out;
}

Credentials read_sts_credentials(const XmlReply& reply, const RoleRequest& request) {
    const XmlElement found = reply.result().child("Credentials");
    Credentials out;
    out.access_key_id = found.required_text("AccessKeyId");
    out.secret_access_key = found.required_text("SecretAccessKey");
    out.session_token = found.required_text("SessionToken");
    out.expires = found.time("Expiration");
    out.source = "role " + request.role_arn + " through " + request.source;
    return out;
}

Task<Credentials> ask_sts(SharedLookup lookup, Credentials base, QueryRequest query,
                          RoleRequest request) {
    StaticCredentials provider(std::move(base));
    AwsClient client(lookup->host, sts_config(*lookup), provider);
    const Result<XmlReply> reply =
        co_await as_result(client.call(std::move(query), Repeatable::yes));
    if (!reply) co_return fail(within("role " + request.role_arn, reply.error()));
    co_return read_sts_credentials(*reply, request);
}

std::string token_without_line_end(std::string text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    text.erase(end == std::string::npos ? 0 : end + 1);
    return text;
}

}  // namespace

Task<Credentials> assume_role(SharedLookup lookup, Credentials base, RoleRequest request) {
    QueryRequest query = role_request("AssumeRole", *lookup, request);
    if (!request.external_id.empty()) query.set("ExternalId", request.external_id);
    co_return co_await ask_sts(lookup, std::move(base), std::move(query), std::move(request));
}

Task<Credentials> assume_role_by_token(SharedLookup lookup, std::string token_file,
                                       RoleRequest request) {
    const Result<std::string> text = co_await as_result(lookup->environment->read_file(token_file));
    if (!text) co_return fail(within("the token of role " + request.role_arn, text.error()));
    const std::string token = token_without_line_end(*text);
    if (token.empty())
        co_return fail(ErrorCode::unauthenticated, "the token of role " + request.role_arn + ": " +
                                                       in_quotes(token_file) + " is empty");
    QueryRequest query = role_request("AssumeRoleWithWebIdentity", *lookup, request);
    query.set("WebIdentityToken", token);
    Credentials none;
    co_return co_await ask_sts(lookup, std::move(none), std::move(query), std::move(request));
}

}  // namespace capstan::aws
