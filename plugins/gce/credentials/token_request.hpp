/// Requests to token endpoints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/json.hpp>
#include <capstan/url.hpp>

#include "../wire/service.hpp"
#include "sources.hpp"

namespace capstan::gce {

/// Fields of credentials. A field of the wrong type, or a required one that is absent, is
/// `invalid_config`; the error names the credentials and contains no value.
std::string text_of(const CredentialsText& credentials, std::string_view key);
std::string required_text_of(const CredentialsText& credentials, std::string_view key);
std::vector<std::string> texts_of(const CredentialsText& credentials, std::string_view key);
/// A nested object, with its place added to the name; empty if absent.
CredentialsText part_of(const CredentialsText& credentials, std::string_view key);

/// `url` with scheme and host of the settings' endpoint for the service, if there is one.
/// `invalid_config`: the URL has no TLS and is not on this machine, so a secret would be exposed.
Result<std::string> token_url(const EndpointConfig& endpoints, Service service,
                              const std::string& url);

/// Sends a request with retries. An unsuccessful reply is `unauthenticated` or `unavailable`.
Task<Json> ask_token_endpoint(SharedLookup lookup, std::string what, HttpRequest request);

/// A POST of a form.
HttpRequest form_request(const std::string& url, const QueryParameters& fields);

/// Parses {"access_token", "expires_in"}. `unauthenticated`: the answer has no token.
AccessToken read_token_answer(const Host& host, const Json& answer, std::string source);

}  // namespace capstan::gce
