// Workload identity federation: another identity's token for one of Google's.
#include <algorithm>
#include <chrono>
#include <utility>

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

/// By the `format` of the source: the whole text, or a field of JSON.
std::string subject_token_in(const Json& source, std::string text) {
    const Json& format = object_field(source, "format");
    std::string out;
    if (text_field(format, "type") == "json") {
        const std::string field = required_text_field(format, "subject_token_field_name");
        const Result<Json> json = parse_json(text);
        if (!json) throw Failure(ErrorCode::unauthenticated, "the subject token is in no JSON");
        out = text_field(*json, field);
    } else {
        out = trimmed_token(std::move(text));
    }
    if (out.empty()) throw Failure(ErrorCode::unauthenticated, "the subject token is empty");
    return out;
}

Task<std::string> fetch_subject_token(SharedLook look, std::string name, Json source) {
    const std::string url = text_field(source, "url");
    if (!url.starts_with("https://") && !url.starts_with("http://"))
        co_return fail(ErrorCode::invalid_config, name + ": credential_source.url is no URL");
    HttpRequest request("GET", url);
    for (const auto& [key, value] : labels_field(source, "headers")) {
        std::string lower = key;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        request.header(lower, value);
    }
    request.within(std::chrono::seconds(5));
    const Result<HttpReply> reply = co_await as_result(send_with_retry(look->host, request));
    if (!reply) co_return fail(within(name, reply.error()));
    if (!is_success(*reply)) co_return fail(within(name, http_error(look->host, request, *reply)));
    co_return reply->body;
}

Task<std::string> read_subject_token(SharedLook look, std::string name, Json source) {
    const std::string file = text_field(source, "file");
    std::string text;
    if (!file.empty()) {
        const Result<std::string> read = co_await as_result(look->environment->read_file(file));
        if (!read) co_return fail(within(name + ": subject token", read.error()));
        text = *read;
    } else if (source.find("url") != nullptr) {
        text = co_await fetch_subject_token(look, name, source);
    } else {
        const bool is_program = source.find("executable") != nullptr;
        co_return fail(ErrorCode::unsupported,
                       name + ": credential_source has neither file nor url" +
                           (is_program ? "; a subject token of a program is not supported, since a "
                                         "plugin starts no process"
                                       : "; a subject token of AWS is not supported"));
    }
    try {
        co_return subject_token_in(source, std::move(text));
    } catch (const Failure& failure) {
        throw Failure(within(name, failure.error()));
    }
}

QueryParameters exchange_form(const Json& federation, std::string token, std::string scopes) {
    QueryParameters out{
        {"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
        {"audience", required_text_field(federation, "audience")},
        {"scope", std::move(scopes)},
        {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
        {"subject_token", std::move(token)},
        {"subject_token_type", required_text_field(federation, "subject_token_type")}};
    const std::string project = text_field(federation, "workforce_pool_user_project");
    if (!project.empty())
        out.emplace_back("options", to_string(Json::object({{"userProject", Json(project)}})));
    return out;
}

}  // namespace

Task<AccessToken> ask_external_account(SharedLook look, CredentialsText federation,
                                       std::string scopes) {
    const Json& json = federation.json;
    const std::string source = "the workload identity of " + federation.name;
    const std::string account_url = text_field(json, "service_account_impersonation_url");
    std::string uri = text_field(json, "token_url");
    if (uri.empty()) uri = base_url_of(Service::sts, look->config.endpoints) + "/token";
    const Result<std::string> url = token_url(look->config.endpoints, Service::sts, uri);
    if (!url) co_return fail(within(source, url.error()));
    const Json subject = object_field(json, "credential_source");
    const std::string token = co_await read_subject_token(look, source, subject);
    const std::string own_scopes = account_url.empty() ? scopes : impersonation_scope;
    HttpRequest request = form_request(*url, exchange_form(json, token, own_scopes));
    const Json answer = co_await ask_token_endpoint(look, source, std::move(request));
    AccessToken out = read_token_answer(look->host, answer, source);
    if (account_url.empty()) co_return std::move(out);
    Impersonation asked{.url = account_url, .delegates = {}, .scopes = std::move(scopes)};
    co_return co_await impersonate(look, std::move(out), std::move(asked));
}

}  // namespace capstan::gce
