/// Requests to token endpoints, and what they answer.
#pragma once

#include <string>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/json.hpp>
#include <capstan/url.hpp>

#include "../wire/service.hpp"
#include "sources.hpp"

namespace capstan::gce {

/// `url` as it is asked: with scheme and host of the settings' endpoint for that service, if there
/// is one. `invalid_config`: a secret would go there without TLS. Without it only this machine is
/// asked.
Result<std::string> token_url(const EndpointConfig& endpoints, Service service,
                              const std::string& url);

/// Sends it, as often as helps; a reply that is no success is `unauthenticated`, or `unavailable`.
Task<Json> ask_token_endpoint(SharedLook look, std::string what, HttpRequest request);

/// A POST of a form.
HttpRequest form_request(const std::string& url, const QueryParameters& fields);

/// {"access_token", "expires_in"}. `unauthenticated`: it has no token.
AccessToken read_token_answer(const Host& host, const Json& answer, std::string source);

}  // namespace capstan::gce
