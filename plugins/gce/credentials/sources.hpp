/// Where access tokens come from, one function for each kind of credentials. What does not work is
/// a Failure that names its source and shows no secret.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/json.hpp>
#include <capstan/task.hpp>

#include "../wire/access_token.hpp"
#include "config.hpp"
#include "environment.hpp"

namespace capstan::gce {

/// One look for a token. The environment lives as long as the look.
struct Look {
    Host host;
    CredentialsConfig config{};
    Environment* environment = nullptr;
    Variables variables{};

    std::string variable(std::string_view name) const { return find_variable(variables, name); }
};
using SharedLook = std::shared_ptr<const Look>;

/// What requests of Capstan are for: changes of compute, and doctor's question for permissions.
inline constexpr const char* token_scopes =
    "https://www.googleapis.com/auth/compute "
    "https://www.googleapis.com/auth/cloud-platform.read-only";
/// What a token is for that asks for another account's.
inline constexpr const char* impersonation_scope = "https://www.googleapis.com/auth/cloud-platform";

/// A file, or a secret, of credentials in Google's JSON.
struct CredentialsText {
    std::string name{};  ///< for people: "file \"/etc/key.json\""
    Json json{};
};

/// The first of: the settings' secret, the settings' file, GOOGLE_APPLICATION_CREDENTIALS, gcloud's
/// file. Nothing: there is none of them, and `absence` says why. A Failure: one that is asked for
/// cannot be read, or is no JSON object.
struct CredentialsSearch {
    std::optional<CredentialsText> found{};
    std::string absence{};
};
Task<CredentialsSearch> find_credentials_text(SharedLook look);

/// A token of such credentials, by their "type". `scopes` in one text, with blanks between them.
Task<AccessToken> ask_with(SharedLook look, CredentialsText credentials, std::string scopes);

/// "service_account": a signed assertion for a token.
Task<AccessToken> ask_service_account(SharedLook look, CredentialsText key, std::string scopes);
/// "authorized_user": a refresh token.
Task<AccessToken> ask_authorized_user(SharedLook look, CredentialsText user);
/// "external_account": workload identity federation, with a subject token of a file or a URL.
/// Subject tokens of a program and of AWS are `unsupported`: a plugin starts no process.
Task<AccessToken> ask_external_account(SharedLook look, CredentialsText federation,
                                       std::string scopes);
/// "impersonated_service_account": an account's token by the credentials in it.
Task<AccessToken> ask_impersonated_account(SharedLook look, CredentialsText account,
                                           std::string scopes);

/// The token of another service account, asked for with `base`.
struct Impersonation {
    std::string url{};  ///< of generateAccessToken
    std::vector<std::string> delegates{};
    std::string scopes{};
};
Task<AccessToken> impersonate(SharedLook look, AccessToken base, Impersonation asked);
/// The URL of generateAccessToken for an account's e-mail address.
std::string impersonation_url(const EndpointConfig& endpoints, const std::string& account);

/// The machine's service account, or that of GKE's workload identity.
Task<AccessToken> ask_metadata_token(SharedLook look);
/// What the metadata server says at "/computeMetadata/v1/PATH"; a Failure: `unavailable` where it
/// may do so later, `not_found` otherwise.
Task<std::string> read_metadata(SharedLook look, std::string path);

}  // namespace capstan::gce
