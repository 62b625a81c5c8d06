// Tokens of another service account: iamcredentials' generateAccessToken.
#include <algorithm>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/url.hpp>

#include "../api/json_fields.hpp"
#include "../wire/endpoints.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

/// "a@p.iam.gserviceaccount.com" of
/// ".../serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken".
std::string account_of_url(std::string_view url) {
    url = url.substr(url.rfind('/') + 1);
    return std::string(url.substr(0, url.find(':')));
}

Json impersonation_body(const Impersonation& asked) {
    std::vector<Json> scopes, delegates;
    std::string_view rest = asked.scopes;
    while (!rest.empty()) {
        const std::string_view scope = rest.substr(0, rest.find(' '));
        if (!scope.empty()) scopes.emplace_back(scope);
        rest.remove_prefix(std::min(rest.size(), scope.size() + 1));
    }
    for (const std::string& delegate : asked.delegates) delegates.emplace_back(delegate);
    std::vector<Json::Member> out{{"scope", Json::array(std::move(scopes))},
                                  {"lifetime", Json("3600s")}};
    if (!delegates.empty()) out.emplace_back("delegates", Json::array(std::move(delegates)));
    return Json::object(std::move(out));
}

}  // namespace

std::string impersonation_url(const EndpointConfig& endpoints, const std::string& account) {
    return base_url_of(Service::iam_credentials, endpoints) + "/projects/-/serviceAccounts/" +
           percent_encode(account) + ":generateAccessToken";
}

Task<AccessToken> impersonate(SharedLookup lookup, AccessToken base, Impersonation asked) {
    const std::string source = "account " + account_of_url(asked.url) + ", through " + base.source;
    const Result<std::string> url =
        token_url(lookup->config.endpoints, Service::iam_credentials, asked.url);
    if (!url) co_return fail(within(source, url.error()));
    HttpRequest request("POST", *url);
    request.header("content-type", "application/json")
        .header("authorization", "Bearer " + base.text)
        .with_body(to_string(impersonation_body(asked)));
    const Json answer = co_await ask_token_endpoint(lookup, source, std::move(request));
    AccessToken out{.text = text_field(answer, "accessToken"),
                    .expires = find_time_field(answer, "expireTime"),
                    .source = source,
                    .quota_project = base.quota_project};
    if (out.text.empty() || !out.expires)
        co_return fail(ErrorCode::unauthenticated,
                       source + ": the response has no accessToken with an expireTime");
    co_return std::move(out);
}

Task<AccessToken> ask_impersonated_account(SharedLookup lookup, CredentialsText account,
                                           std::string scopes) {
    Impersonation asked{.url = required_text_of(account, "service_account_impersonation_url"),
                        .delegates = texts_of(account, "delegates"),
                        .scopes = std::move(scopes)};
    CredentialsText base = part_of(account, "source_credentials");
    if (text_of(base, "type") == "impersonated_service_account")
        co_return fail(ErrorCode::invalid_config,
                       base.name +
                           ": its source credentials are impersonated too; list the accounts in "
                           "delegates instead");
    const AccessToken token = co_await ask_with(lookup, std::move(base), impersonation_scope);
    co_return co_await impersonate(lookup, token, std::move(asked));
}

}  // namespace capstan::gce
