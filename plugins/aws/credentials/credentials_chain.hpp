/// Credentials as all AWS clients find them: the first source that has some.
#pragma once

#include <string>

#include <capstan/renewed.hpp>

#include "../wire/aws_client.hpp"
#include "config.hpp"
#include "environment.hpp"

namespace capstan::aws {

/// [strand] The order: settings, environment, web identity, shared profile, container, instance
/// metadata. A profile that the settings name is asked before the environment, which then is not
/// asked at all. A source that is there and fails ends the search: what another one has would be
/// another identity. With `role_arn` in the settings that role is assumed with what was found.
///
/// One renewal is under way at a time, and all callers share it. While credentials hold, a renewal
/// that fails is logged, and they are used on. The error of a search without a result
/// (`unauthenticated`) tells each source and why it has nothing.
///
/// The environment lives longer than the chain.
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
