/// Region, endpoints and attempts of the AWS client, from the settings and the environment.
#pragma once

#include <optional>
#include <string>

#include <capstan/task.hpp>

#include "credentials_config.hpp"
#include "environment.hpp"

namespace capstan::aws {

/// The region: the first of `setting`, AWS_REGION, AWS_DEFAULT_REGION, the chosen profile's region,
/// and the region in the instance metadata. If there is none, throws a Failure that names all of
/// these: `unavailable` if the metadata service may answer later, `invalid_config` otherwise.
Task<std::string> find_region(Host host, std::string setting, CredentialsConfig config,
                              Environment& environment);

/// The settings' endpoints, and those of the environment (AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL)
/// for services without an endpoint in the settings. FIPS and dual stack are on if the settings or
/// the environment ask for them. AWS_IGNORE_CONFIGURED_ENDPOINT_URLS disables the environment's
/// URLs. Throws a Failure (`invalid_config`) for a malformed URL.
Task<EndpointConfig> find_endpoints(EndpointConfig settings, Environment& environment);

/// AWS_MAX_ATTEMPTS; absent if it is not set or not a number from 1 to 100.
Task<std::optional<int>> find_attempts(Environment& environment);

}  // namespace capstan::aws
