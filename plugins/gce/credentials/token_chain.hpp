/// Access tokens by Application Default Credentials, as all of Google's clients find them.
#pragma once

#include <string>

#include <capstan/renewed.hpp>

#include "../wire/access_token.hpp"
#include "credentials_config.hpp"
#include "environment.hpp"

namespace capstan::gce {

/// [strand] The order: the settings' secret, the settings' file, GOOGLE_APPLICATION_CREDENTIALS,
/// gcloud's file, the metadata server. A source that is configured and fails ends the search, since
/// the next source would be another identity. With `impersonate`, that account's token is requested
/// with the token that was found. Tokens are renewed in the background before they expire. The
/// error of a search without a result (`unauthenticated`) says of each source why it has no
/// credentials.
///
/// The environment has to outlive the chain.
class TokenChain : public TokenProvider {
public:
    TokenChain(const Host& host, CredentialsConfig config, Environment& environment);
    ~TokenChain() override;

    Task<AccessToken> get() override;
    Task<AccessToken> renew(std::string refused) override;

private:
    struct State;
    Renewed<AccessToken> token_;
};

/// The project: the first of `setting`, GOOGLE_CLOUD_PROJECT, that of the credentials file and that
/// of the metadata server. Throws a Failure that says why each of them is missing: `unavailable` if
/// the metadata server may answer later, `invalid_config` otherwise.
Task<std::string> find_project(Host host, std::string setting, CredentialsConfig config,
                               Environment& environment);

/// The settings with the universe domain of the settings, the credentials or the environment.
Task<EndpointConfig> find_endpoints(Host host, EndpointConfig settings, CredentialsConfig config,
                                    Environment& environment);

}  // namespace capstan::gce
