/// The credential provider chain that all AWS clients have: the first source with credentials
/// counts.
#pragma once

#include <string>

#include <capstan/renewed.hpp>

#include "../wire/aws_client.hpp"
#include "credentials_config.hpp"
#include "environment.hpp"

namespace capstan::aws {

/// [strand] The order: settings, environment, web identity, shared profile, container, instance
/// metadata. If the settings name a profile, the environment and web identity are skipped. A source
/// that is configured and fails ends the search, since the next source would be another identity.
/// If the settings have a `role_arn`, that role is assumed with the credentials that were found.
///
/// At most one renewal is under way, and all callers share it. If `get` cannot renew credentials
/// that are still valid, it logs the failure, and the credentials stay in use. The error of a
/// search without a result (`unauthenticated`) says of each source why it has no credentials.
///
/// The environment has to outlive the chain.
class CredentialsChain : public CredentialsProvider {
public:
    CredentialsChain(const Host& host, CredentialsConfig config, Environment& environment,
                     RenewalTimes times = {});

    Task<Credentials> get() override;
    Task<Credentials> renew(std::string refused_access_key_id) override;

private:
    Renewed<Credentials> credentials_;
};

}  // namespace capstan::aws
