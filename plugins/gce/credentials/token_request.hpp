/// Requests to token endpoints, and what they answer.
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

/// Fields of credentials. One of another type is `invalid_config`, and so is a required one that is
/// absent; the error names the credentials and shows no value.
std::string text_of(const CredentialsText& credentials, std::string_view key);
std::string required_text_of(const CredentialsText& credentials, std::string_view key);
std::vector<std::string> texts_of(const CredentialsText& credentials, std::string_view key);
/// An object in them, with its own place in its name; absent is one without members.
CredentialsText part_of(const CredentialsText& credentials, std::string_view key);

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
