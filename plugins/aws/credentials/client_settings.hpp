/// What the machine says of clients of AWS beside their credentials.
#pragma once

#include <optional>
#include <string>

#include <capstan/task.hpp>

#include "config.hpp"
#include "environment.hpp"

namespace capstan::aws {

/// The region: `setting`, AWS_REGION, AWS_DEFAULT_REGION, the chosen profile's, the instance's. A
/// Failure tells each of these and why it has none: `unavailable` where the metadata service did
/// not answer and may do so later, `invalid_config` otherwise.
Task<std::string> find_region(Host host, std::string setting, CredentialsConfig config,
                              Environment& environment);

/// The settings' endpoints, and those of the environment (AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL)
/// for services that the settings say nothing of; FIPS and dual stack where either asks for them.
/// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS leaves the environment's URLs out. A Failure
/// (`invalid_config`): an URL that is none.
Task<EndpointConfig> find_endpoints(EndpointConfig settings, Environment& environment);

/// AWS_MAX_ATTEMPTS; nothing: not set, or no number from 1 to 100.
Task<std::optional<int>> find_attempts(Environment& environment);

}  // namespace capstan::aws
