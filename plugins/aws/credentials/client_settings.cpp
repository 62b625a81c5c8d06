#include "client_settings.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "sources.hpp"

namespace capstan::aws {
namespace {

/// Lower-case letters, digits and dashes only, since the region becomes a part of host names.
bool is_region_name(std::string_view name) noexcept {
    constexpr std::size_t longest = 40;
    return !name.empty() && name.size() <= longest &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '-'; });
}

std::string checked_region(std::string name, const std::string& from) {
    if (!is_region_name(name))
        throw Failure(ErrorCode::invalid_config,
                      from + ": " + in_quotes(name) + " is not a region");
    return name;
}

void set_override(EndpointConfig& config, std::string_view service, const Variables& variables,
                  const char* variable) {
    const std::string url = find_variable(variables, variable);
    if (url.empty() || config.overrides.contains(service)) return;
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        throw Failure(ErrorCode::invalid_config, std::string(variable) + ": " + in_quotes(url) +
                                                     " is not an http or https URL");
    config.overrides.emplace(service, url);
}

}  // namespace

Task<std::string> find_region(Host host, std::string setting, CredentialsConfig config,
                              Environment& environment) {
    if (!setting.empty()) co_return checked_region(setting, "region");
    const auto lookup = std::make_shared<CredentialLookup>(
        CredentialLookup{host, std::move(config), &environment, {}});
    lookup->variables = co_await environment.variables();
    for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
        const std::string value = lookup->variable(name);
        if (!value.empty()) co_return checked_region(value, name);
    }
    const ProfileChoice choice = choose_profile(lookup->config.profile, lookup->variables);
    const auto files = co_await read_shared_files(environment, lookup->variables);
    const auto profile = files->profiles.find(choice.name);
    if (profile != files->profiles.end()) {
        const std::string value = find_property(profile->second, "region");
        if (!value.empty()) co_return checked_region(value, "profile " + in_quotes(choice.name));
    }
    const MetadataText metadata = co_await read_metadata(lookup, "placement/region");
    if (metadata.text) co_return checked_region(*metadata.text, "instance metadata");
    co_return fail(metadata.is_transient ? ErrorCode::unavailable : ErrorCode::invalid_config,
                   "the region is unknown: set `region` or AWS_REGION; none in AWS_DEFAULT_REGION "
                   "or in profile " +
                       in_quotes(choice.name) + "; instance metadata: " + metadata.absence);
}

Task<EndpointConfig> find_endpoints(EndpointConfig settings, Environment& environment) {
    const Variables variables = co_await environment.variables();
    const bool are_ignored = is_switched_on(variables, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    // The settings' URL for all services takes precedence over the environment's for one service.
    const bool has_all = settings.overrides.contains("");
    for (const Service service : all_services) {
        if (!are_ignored && !has_all)
            set_override(settings, name_of(service), variables, endpoint_variable_of(service));
    }
    if (!are_ignored) set_override(settings, "", variables, "AWS_ENDPOINT_URL");
    settings.fips = settings.fips || is_switched_on(variables, "AWS_USE_FIPS_ENDPOINT");
    settings.dual_stack =
        settings.dual_stack || is_switched_on(variables, "AWS_USE_DUALSTACK_ENDPOINT");
    co_return settings;
}

Task<std::optional<int>> find_attempts(Environment& environment) {
    const Variables variables = co_await environment.variables();
    const auto number = find_whole_number(find_variable(variables, "AWS_MAX_ATTEMPTS"));
    if (!number || *number < 1 || *number > 100) co_return std::optional<int>();
    co_return std::optional<int>(static_cast<int>(*number));
}

}  // namespace capstan::aws
