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
    Task<SourceAnswer> (*ask)(SharedLook look);
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

Task<Credentials> find_base(SharedLook look) {
    std::string absences;
    for (const NamedSource& source : credential_sources_of(look->config)) {
        const Result<SourceAnswer> answer = co_await as_result(source.ask(look));
        if (!answer)
            co_return fail(within(std::string("credentials: ") + source.name, answer.error()));
        if (answer->credentials) co_return *answer->credentials;
        absences +=
            (absences.empty() ? "" : "; ") + std::string(source.name) + ": " + answer->absence;
    }
    co_return fail(ErrorCode::unauthenticated, "no source has credentials: " + absences);
}

/// A walk along the sources, and the role of the settings over what it finds.
Task<Credentials> find_credentials(std::shared_ptr<Look> look) {
    look->variables = co_await look->environment->variables();
    const Credentials base = co_await find_base(look);
    if (look->config.role_arn.empty()) co_return base;
    RoleRequest request;
    request.role_arn = look->config.role_arn;
    request.external_id = look->config.external_id;
    request.source = base.source;
    co_return co_await assume_role(look, base, std::move(request));
}

/// Tells what signs from here on, where that changed.
Task<Credentials> find_and_tell(std::shared_ptr<Look> look, std::shared_ptr<std::string> told) {
    const Credentials found = co_await find_credentials(look);
    if (*told != found.source) {
        look->host.info("requests to AWS are signed with credentials of " + found.source);
        *told = found.source;
    }
    co_return found;
}

Renewed<Credentials>::Find search_for_credentials(const Host& host, CredentialsConfig config,
                                                  Environment& environment) {
    const auto told = std::make_shared<std::string>();
    return [host, config = std::move(config), &environment, told] {
        return find_and_tell(std::make_shared<Look>(Look{host, config, &environment, {}}), told);
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
