// Credentials of a user ("authorized_user"), as gcloud stores them.
#include <utility>

#include "token_request.hpp"

namespace capstan::gce {

Task<AccessToken> ask_authorized_user(SharedLookup lookup, CredentialsText user) {
    const std::string source = "the user of " + user.name;
    std::string uri = text_of(user, "token_uri");
    if (uri.empty()) uri = "https://oauth2.googleapis.com/token";
    const Result<std::string> url = token_url(lookup->config.endpoints, Service::oauth2, uri);
    if (!url) co_return fail(within(source, url.error()));
    const QueryParameters form{{"grant_type", "refresh_token"},
                               {"client_id", required_text_of(user, "client_id")},
                               {"client_secret", required_text_of(user, "client_secret")},
                               {"refresh_token", required_text_of(user, "refresh_token")}};
    HttpRequest request = form_request(*url, form);
    const Json answer = co_await ask_token_endpoint(lookup, source, std::move(request));
    co_return read_token_answer(lookup->host, answer, source);
}

}  // namespace capstan::gce
