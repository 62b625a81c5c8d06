/// Access tokens as Google's clients find them (application default credentials).
#pragma once

#include <string>

#include <capstan/renewed.hpp>

#include "../wire/access_token.hpp"
#include "config.hpp"
#include "environment.hpp"

namespace capstan::gce {

/// [strand] The order: the settings' secret, the settings' file, GOOGLE_APPLICATION_CREDENTIALS,
/// the file of gcloud, the metadata server. A source that is there and fails ends the search: what
/// another one has would be another identity. With `impersonate` that account's token is asked for
/// with what was found. Tokens are renewed beside the calls before they expire. The error of a
/// search without a result (`unauthenticated`) tells each source and why it has nothing.
///
/// The environment lives longer than the chain.
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

/// The project: `setting`, GOOGLE_CLOUD_PROJECT, the credentials file's, the metadata server's. A
/// Failure tells each of these and why it has none: `unavailable` where the metadata server did not
/// answer and may do so later, `invalid_config` otherwise.
Task<std::string> find_project(Host host, std::string setting, CredentialsConfig config,
                               Environment& environment);

/// The settings' universe domain, or the credentials' or the environment's.
Task<EndpointConfig> find_endpoints(Host host, EndpointConfig settings, CredentialsConfig config,
                                    Environment& environment);

}  // namespace capstan::gce
