/// The sources of access tokens, one function for each type of credentials. A Failure names the
/// source and contains no secret.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/json.hpp>
#include <capstan/task.hpp>

#include "../wire/access_token.hpp"
#include "credentials_config.hpp"
#include "environment.hpp"

namespace capstan::gce {

/// The inputs of one search for a token. The environment has to outlive the search.
struct TokenLookup {
    Host host;
    CredentialsConfig config{};
    Environment* environment = nullptr;
    Variables variables{};

    std::string variable(std::string_view name) const { return find_variable(variables, name); }
};
using SharedLookup = std::shared_ptr<const TokenLookup>;

/// The scopes of the plugin's tokens: compute, and read-only access to the platform for the
/// permission check of `capstan doctor`.
inline constexpr const char* token_scopes =
    "https://www.googleapis.com/auth/compute "
    "https://www.googleapis.com/auth/cloud-platform.read-only";
/// The scope of a token that requests another account's token.
inline constexpr const char* impersonation_scope = "https://www.googleapis.com/auth/cloud-platform";

/// Credentials in Google's JSON, from a file or a secret.
struct CredentialsText {
    std::string name{};  ///< for messages: "file \"/etc/key.json\""
    Json json{};
};

/// The first of the settings' secret, the settings' file, GOOGLE_APPLICATION_CREDENTIALS and
/// gcloud's file. If there is none of them, `found` is absent and `absence` says why. Throws a
/// Failure if a configured one cannot be read or is not a JSON object.
struct CredentialsSearch {
    std::optional<CredentialsText> found{};
    std::string absence{};
};
Task<CredentialsSearch> find_credentials_text(SharedLookup lookup);

/// A token for such credentials, by their "type". `scopes` are separated by blanks.
Task<AccessToken> ask_with(SharedLookup lookup, CredentialsText credentials, std::string scopes);

/// "service_account": by a signed assertion.
Task<AccessToken> ask_service_account(SharedLookup lookup, CredentialsText key, std::string scopes);
/// "authorized_user": by a refresh token.
Task<AccessToken> ask_authorized_user(SharedLookup lookup, CredentialsText user);
/// "external_account": workload identity federation with a subject token from a file or a URL.
/// Subject tokens from an executable, a certificate or AWS are `unsupported`.
Task<AccessToken> ask_external_account(SharedLookup lookup, CredentialsText federation,
                                       std::string scopes);
/// "impersonated_service_account": the token of the impersonated account, requested with the source
/// credentials in the JSON.
Task<AccessToken> ask_impersonated_account(SharedLookup lookup, CredentialsText account,
                                           std::string scopes);

/// A request for the token of another service account.
struct Impersonation {
    std::string url{};  ///< of generateAccessToken
    std::vector<std::string> delegates{};
    std::string scopes{};
};
Task<AccessToken> impersonate(SharedLookup lookup, AccessToken base, Impersonation asked);
/// The URL of generateAccessToken for an account's e-mail address.
std::string impersonation_url(const EndpointConfig& endpoints, const std::string& account);

/// The token of the machine's service account, or of GKE's workload identity.
Task<AccessToken> ask_metadata_token(SharedLookup lookup);
/// The text that the metadata server has at "/computeMetadata/v1/PATH". Throws a Failure:
/// `unavailable` if the server may answer later, `not_found` if it has no such text or is not
/// Google's.
Task<std::string> read_metadata(SharedLookup lookup, std::string path);

}  // namespace capstan::gce
