// Keys of service accounts: an assertion signed with the key is exchanged for a token.

#include <utility>

#include "assertion.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

constexpr const char* default_token_url = "https://oauth2.googleapis.com/token";

}  // namespace

Task<AccessToken> ask_service_account(SharedLookup lookup, CredentialsText key,
                                      std::string scopes) {
    const std::string source = "the service account of " + key.name;
    std::string uri = text_of(key, "token_uri");
    if (uri.empty()) uri = default_token_url;
    Assertion assertion{.issuer = required_text_of(key, "client_email"),
                        .scopes = std::move(scopes),
                        .audience = uri,
                        .key_id = text_of(key, "private_key_id"),
                        .at = lookup->host.now()};
    const std::string pem = required_text_of(key, "private_key");
    const Result<std::string> signed_text = sign_assertion(assertion, pem);
    if (!signed_text) co_return fail(within(source, signed_text.error()));
    const Result<std::string> url = token_url(lookup->config.endpoints, Service::oauth2, uri);
    if (!url) co_return fail(within(source, url.error()));
    const QueryParameters form{{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                               {"assertion", *signed_text}};
    HttpRequest request = form_request(*url, form);
    const Json answer = co_await ask_token_endpoint(lookup, source, std::move(request));
    co_return read_token_answer(lookup->host, answer, source);
}

}  // namespace capstan::gce
