#include "token_chain.hpp"

#include <chrono>
#include <utility>

#include <capstan/renewed.hpp>
#include <capstan/sentence.hpp>

#include "sources.hpp"
#include "token_request.hpp"

namespace capstan::gce {
namespace {

/// Google's own clients renew a token 225 s before it expires. The metadata server has a new token
/// five minutes before that at the earliest.
constexpr RenewalTimes token_renewal{.advisory = std::chrono::seconds(225),
                                     .mandatory = std::chrono::seconds(45),
                                     .jitter = std::chrono::seconds(20),
                                     .rest = std::chrono::seconds(1)};

std::string first_of(const std::string& a, const std::string& b, const std::string& c) {
    if (!a.empty()) return a;
    return b.empty() ? c : b;
}

Task<std::shared_ptr<TokenLookup>> begin_lookup(Host host, CredentialsConfig config,
                                                Environment& environment) {
    auto out =
        std::make_shared<TokenLookup>(TokenLookup{host, std::move(config), &environment, {}});
    out->variables = co_await environment.variables();
    co_return std::move(out);
}

/// The token of the credentials that were found, without impersonation by the settings.
Task<AccessToken> find_base_token(SharedLookup lookup, std::string scopes) {
    CredentialsSearch search = co_await find_credentials_text(lookup);
    if (search.found) {
        const std::string own = text_of(*search.found, "quota_project_id");
        AccessToken out = co_await ask_with(lookup, *std::move(search.found), std::move(scopes));
        out.quota_project = own;
        co_return std::move(out);
    }
    Result<AccessToken> served = co_await as_result(ask_metadata_token(lookup));
    if (served) co_return *std::move(served);
    // The metadata server may answer later: then the settings are not to blame.
    const bool may_come = served.error().code == ErrorCode::unavailable;
    co_return fail(may_come ? ErrorCode::unavailable : ErrorCode::unauthenticated,
                   "no credentials found: " + search.absence + "; " + served.error().message);
}

Task<AccessToken> find_token(SharedLookup lookup) {
    const CredentialsConfig& config = lookup->config;
    if (config.anonymous) {
        AccessToken none{.source = "no account (credentials.anonymous)"};
        co_return std::move(none);
    }
    const bool is_other = !config.impersonate.empty();
    AccessToken out =
        co_await find_base_token(lookup, is_other ? impersonation_scope : token_scopes);
    const std::string quota = first_of(
        config.quota_project, lookup->variable("GOOGLE_CLOUD_QUOTA_PROJECT"), out.quota_project);
    if (is_other) {
        Impersonation asked{.url = impersonation_url(config.endpoints, config.impersonate),
                            .delegates = {},
                            .scopes = token_scopes};
        out = co_await impersonate(lookup, std::move(out), std::move(asked));
    }
    out.quota_project = quota;
    co_return std::move(out);
}

}  // namespace

struct TokenChain::State {
    State(const Host& of, CredentialsConfig with, Environment& from)
        : host(of), config(std::move(with)), environment(from) {}

    Host host;
    CredentialsConfig config;
    Environment& environment;
    std::string logged_source{};  ///< of the last token

    static Task<AccessToken> find(std::shared_ptr<State> self) {
        const std::shared_ptr<TokenLookup> lookup =
            co_await begin_lookup(self->host, self->config, self->environment);
        AccessToken out = co_await find_token(lookup);
        if (std::exchange(self->logged_source, out.source) != out.source)
            self->host.info("using a token of " + out.source);
        co_return std::move(out);
    }
};

TokenChain::TokenChain(const Host& host, CredentialsConfig config, Environment& environment)
    : token_(
          host, "Google tokens",
          [state = std::make_shared<State>(host, std::move(config), environment)] {
              return State::find(state);
          },
          token_renewal) {}

TokenChain::~TokenChain() = default;

Task<AccessToken> TokenChain::get() { return token_.get(); }

Task<AccessToken> TokenChain::renew(std::string refused) {
    return token_.renew(
        [refused = std::move(refused)](const AccessToken& token) { return token.text == refused; });
}

Task<std::string> find_project(Host host, std::string setting, CredentialsConfig config,
                               Environment& environment) {
    if (!setting.empty()) co_return setting;
    const std::shared_ptr<TokenLookup> lookup =
        co_await begin_lookup(host, std::move(config), environment);
    const std::string from_environment = lookup->variable("GOOGLE_CLOUD_PROJECT");
    if (!from_environment.empty()) co_return from_environment;
    CredentialsSearch search = co_await find_credentials_text(lookup);
    if (search.found) {
        const std::string own = text_of(*search.found, "project_id");
        if (!own.empty()) co_return own;
    }
    const std::string absence =
        "the project is unknown: `project` is not set; GOOGLE_CLOUD_PROJECT is not set; " +
        (search.found ? search.found->name + " has no project_id" : search.absence) + "; ";
    if (lookup->config.anonymous)
        co_return fail(ErrorCode::invalid_config,
                       absence + "the metadata server is not used with anonymous credentials");
    const Result<std::string> served =
        co_await as_result(read_metadata(lookup, "project/project-id"));
    if (served && !served->empty()) co_return *served;
    const bool may_come = !served && served.error().code == ErrorCode::unavailable;
    co_return fail(
        may_come ? ErrorCode::unavailable : ErrorCode::invalid_config,
        absence + (served ? "the metadata server returned none" : served.error().message));
}

Task<EndpointConfig> find_endpoints(Host host, EndpointConfig settings, CredentialsConfig config,
                                    Environment& environment) {
    constexpr const char* usual = "googleapis.com";
    if (settings.universe != usual || config.anonymous) co_return settings;
    const std::shared_ptr<TokenLookup> lookup =
        co_await begin_lookup(host, std::move(config), environment);
    const Result<CredentialsSearch> search = co_await as_result(find_credentials_text(lookup));
    std::string own = lookup->variable("GOOGLE_CLOUD_UNIVERSE_DOMAIN");
    if (search) {
        const std::optional<CredentialsText>& found = search->found;
        const std::string theirs = found ? text_of(*found, "universe_domain") : "";
        if (!theirs.empty()) own = theirs;
    }
    if (!own.empty()) settings.universe = own;
    co_return std::move(settings);
}

}  // namespace capstan::gce
