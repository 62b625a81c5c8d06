// Workload identity federation: exchanges the token of another identity provider for Google's.
#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/http_error.hpp>
#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>

#include "../api/json_fields.hpp"
#include "../wire/endpoints.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

std::string trimmed_token(std::string text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    text.erase(end == std::string::npos ? 0 : end + 1);
    return text;
}

/// The subject token by the `format` of the source: the whole text, or a field of JSON.
std::string subject_token_in(const CredentialsText& source, std::string text) {
    const CredentialsText format = part_of(source, "format");
    std::string out;
    if (text_of(format, "type") == "json") {
        const std::string field = required_text_of(format, "subject_token_field_name");
        const Result<Json> json = parse_json(text);
        if (!json)
            throw Failure(ErrorCode::unauthenticated,
                          source.name + ": the subject token is not JSON");
        out = text_of({source.name + ", subject token", *json}, field);
    } else {
        out = trimmed_token(std::move(text));
    }
    if (out.empty())
        throw Failure(ErrorCode::unauthenticated, source.name + ": the subject token is empty");
    return out;
}

Labels headers_of(const CredentialsText& source) {
    try {
        return labels_field(source.json, "headers");
    } catch (const Failure& failure) {
        throw Failure(ErrorCode::invalid_config, source.name + ": " + failure.error().message);
    }
}

Task<std::string> fetch_subject_token(SharedLookup lookup, CredentialsText source) {
    const std::string url = text_of(source, "url");
    const bool is_plain = url.starts_with("http://");
    if (!is_plain && !url.starts_with("https://"))
        co_return fail(ErrorCode::invalid_config, source.name + ": url is not a URL");
    HttpRequest request("GET", url);
    for (const auto& [key, value] : headers_of(source)) {
        request.header(lower_case(key), value);
    }
    request.within(std::chrono::seconds(5));
    // A server without TLS is on this machine or next to it, and a proxy could read the token.
    if (is_plain) request.direct();
    const Result<HttpReply> reply = co_await as_result(send_with_retry(lookup->host, request));
    if (!reply) co_return fail(within(source.name, reply.error()));
    if (!is_success(*reply))
        co_return fail(within(source.name, http_error(lookup->host, request, *reply)));
    co_return reply->body;
}

/// Why a plugin cannot read the subject token; empty if it can. A credential source for AWS has a
/// `url`, too, but no subject token is there.
std::string find_hindrance(const CredentialsText& source) {
    const auto has = [&source](const char* key) { return source.json.find(key) != nullptr; };
    if (has("environment_id")) return ": AWS subject tokens are not supported";
    if (has("executable"))
        return ": subject tokens from an executable are not supported, because plugins cannot run "
               "programs";
    if (has("certificate")) return ": subject tokens from a certificate are not supported";
    return has("file") || has("url") ? "" : " has neither file nor url";
}

Task<std::string> read_subject_token(SharedLookup lookup, CredentialsText source) {
    const std::string hindrance = find_hindrance(source);
    if (!hindrance.empty()) co_return fail(ErrorCode::unsupported, source.name + hindrance);
    const std::string file = text_of(source, "file");
    std::string text;
    if (file.empty()) {
        text = co_await fetch_subject_token(lookup, source);
    } else {
        const Result<std::string> read = co_await as_result(lookup->environment->read_file(file));
        if (!read) co_return fail(within(source.name + ": subject token", read.error()));
        text = *read;
    }
    co_return subject_token_in(source, std::move(text));
}

QueryParameters exchange_form(const CredentialsText& federation, std::string token,
                              std::string scopes) {
    QueryParameters out{{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                        {"audience", required_text_of(federation, "audience")},
                        {"scope", std::move(scopes)},
                        {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                        {"subject_token", std::move(token)},
                        {"subject_token_type", required_text_of(federation, "subject_token_type")}};
    const std::string project = text_of(federation, "workforce_pool_user_project");
    if (!project.empty())
        out.emplace_back("options", to_string(Json::object({{"userProject", Json(project)}})));
    return out;
}

}  // namespace

Task<AccessToken> ask_external_account(SharedLookup lookup, CredentialsText federation,
                                       std::string scopes) {
    const std::string source = "the workload identity of " + federation.name;
    const std::string account_url = text_of(federation, "service_account_impersonation_url");
    std::string uri = text_of(federation, "token_url");
    if (uri.empty()) uri = base_url_of(Service::sts, lookup->config.endpoints) + "/token";
    const Result<std::string> url = token_url(lookup->config.endpoints, Service::sts, uri);
    if (!url) co_return fail(within(source, url.error()));
    CredentialsText subject = part_of(federation, "credential_source");
    const std::string token = co_await read_subject_token(lookup, std::move(subject));
    const std::string own_scopes = account_url.empty() ? scopes : impersonation_scope;
    HttpRequest request = form_request(*url, exchange_form(federation, token, own_scopes));
    const Json answer = co_await ask_token_endpoint(lookup, source, std::move(request));
    AccessToken out = read_token_answer(lookup->host, answer, source);
    if (account_url.empty()) co_return std::move(out);
    Impersonation asked{.url = account_url, .delegates = {}, .scopes = std::move(scopes)};
    co_return co_await impersonate(lookup, std::move(out), std::move(asked));
}

}  // namespace capstan::gce
