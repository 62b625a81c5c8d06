#include "credentials_chain.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "sources.hpp"
#include "sts_roles.hpp"

namespace capstan::aws {
namespace {

struct NamedSource {
    const char* name;
    Task<SourceAnswer> (*ask)(SharedLookup lookup);
};

std::vector<NamedSource> credential_sources_of(const CredentialsConfig& config) {
    std::vector<NamedSource> out{{"settings", &ask_settings}};
    if (config.profile.empty()) {
        out.push_back({"environment", &ask_environment});
        out.push_back({"web identity", &ask_web_identity});
    }
    out.push_back({"shared files", &ask_profile});
    out.push_back({"container", &ask_container});
    out.push_back({"instance metadata", &ask_instance_metadata});
    return out;
}

Task<Credentials> find_base(SharedLookup lookup) {
    std::string absences;
    for (const NamedSource& source : credential_sources_of(lookup->config)) {
        const Result<SourceAnswer> answer = co_await as_result(source.ask(lookup));
        if (!answer)
            co_return fail(within(std::string("credentials: ") + source.name, answer.error()));
        if (const auto& found = answer->credentials; found) co_return *found;
        absences +=
            (absences.empty() ? "" : "; ") + std::string(source.name) + ": " + answer->absence;
    }
    co_return fail(ErrorCode::unauthenticated, "no credentials found: " + absences);
}

/// Searches the sources, then assumes the role of the settings with the result.
Task<Credentials> find_credentials(std::shared_ptr<CredentialLookup> lookup) {
    lookup->variables = co_await lookup->environment->variables();
    const Credentials base = co_await find_base(lookup);
    if (lookup->config.role_arn.empty()) co_return base;
    RoleRequest request;
    request.role_arn = lookup->config.role_arn;
    request.external_id = lookup->config.external_id;
    request.source = base.source;
    co_return co_await assume_role(lookup, base, std::move(request));
}

/// Finds credentials, and logs their source if it is another one than last time.
Task<Credentials> find_and_log(std::shared_ptr<CredentialLookup> lookup,
                               std::shared_ptr<std::string> logged_source) {
    const Credentials found = co_await find_credentials(lookup);
    if (*logged_source != found.source) {
        lookup->host.info("signing AWS requests with credentials of " + found.source);
        *logged_source = found.source;
    }
    co_return found;
}

Renewed<Credentials>::Find search_for_credentials(const Host& host, CredentialsConfig config,
                                                  Environment& environment) {
    const auto logged_source = std::make_shared<std::string>();
    return [host, config = std::move(config), &environment, logged_source] {
        return find_and_log(
            std::make_shared<CredentialLookup>(CredentialLookup{host, config, &environment, {}}),
            logged_source);
    };
}

}  // namespace

CredentialsChain::CredentialsChain(const Host& host, CredentialsConfig config,
                                   Environment& environment, RenewalTimes times)
    : credentials_(host, "credentials",
                   search_for_credentials(host, std::move(config), environment), times) {}

Task<Credentials> CredentialsChain::get() { return credentials_.get(); }

Task<Credentials> CredentialsChain::renew(std::string refused_access_key_id) {
    return credentials_.renew([refused = std::move(refused_access_key_id)](const Credentials& one) {
        return one.access_key_id == refused;
    });
}

}  // namespace capstan::aws
