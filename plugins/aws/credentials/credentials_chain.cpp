#include "credentials_chain.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <capstan/background.hpp>
#include <capstan/single_flight.hpp>

#include "../wire/repetition.hpp"
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

/// A renewal of an instance that was stopped meanwhile is no failure.
bool is_end_of_instance(const Error& error) noexcept { return error.code == ErrorCode::cancelled; }

}  // namespace

/// What is kept, and until when.
struct CredentialsChain::State {
    State(const Host& of, CredentialsConfig with, Environment& from, RenewalTimes when)
        : host(of),
          config(std::move(with)),
          environment(from),
          times(when),
          renewal(of),
          background(of) {}

    Host host;
    CredentialsConfig config;
    Environment& environment;
    RenewalTimes times;
    SingleFlight<Credentials> renewal;
    Background background;
    std::optional<Credentials> current{};
    Time advisory{}, mandatory{};  ///< of `current`, where it expires
    std::optional<Duration> failed_at{}, forced_at{};
    Error failure{};  ///< of `failed_at`

    bool rests_since(std::optional<Duration> since) const {
        return since && host.monotonic() - *since < times.rest;
    }
    bool is_expired() const {
        return !current || (current->expires && *current->expires <= host.now());
    }
    void keep(const Credentials& fresh);
    static Task<Credentials> search(std::shared_ptr<State> self);
    static Task<void> renew_beside(std::shared_ptr<State> self);
    static Task<Credentials> renew_now(std::shared_ptr<State> self);
};

void CredentialsChain::State::keep(const Credentials& fresh) {
    const bool is_new = !current || current->source != fresh.source;
    current = fresh;
    failed_at.reset();
    if (is_new) host.info("requests to AWS are signed with credentials of " + fresh.source);
    if (!fresh.expires) return;
    const Duration life = std::max(*fresh.expires - host.now(), Duration::zero());
    const Duration spread = share_of(std::min(times.jitter, life / 20), host.random_share());
    mandatory = *fresh.expires - std::min(times.mandatory, life / 6);
    advisory = *fresh.expires - std::min(times.advisory, life / 4) - spread;
}

/// Keeps what is found, or why nothing is.
Task<Credentials> CredentialsChain::State::search(std::shared_ptr<State> self) {
    const auto look =
        std::make_shared<Look>(Look{self->host, self->config, &self->environment, {}});
    const Result<Credentials> found = co_await as_result(find_credentials(look));
    if (found) {
        self->keep(*found);
    } else {
        self->failure = found.error();
        self->failed_at = self->host.monotonic();
    }
    co_return found;
}

Task<void> CredentialsChain::State::renew_beside(std::shared_ptr<State> self) {
    const Result<Credentials> fresh = co_await as_result(self->renewal.join(search(self)));
    if (fresh || is_end_of_instance(fresh.error())) co_return;
    self->host.warn("credentials could not be renewed, and are used on: " + fresh.error().message);
}

/// Waits for the renewal. What still holds is used where it fails.
Task<Credentials> CredentialsChain::State::renew_now(std::shared_ptr<State> self) {
    const Result<Credentials> fresh = co_await as_result(self->renewal.join(search(self)));
    if (fresh) co_return *fresh;
    if (self->is_expired() || is_end_of_instance(fresh.error())) co_return fail(fresh.error());
    self->host.warn("credentials could not be renewed, and are used on: " + fresh.error().message);
    co_return *self->current;
}

CredentialsChain::CredentialsChain(const Host& host, CredentialsConfig config,
                                   Environment& environment, RenewalTimes times)
    : state_(std::make_shared<State>(host, std::move(config), environment, times)) {}

Task<Credentials> CredentialsChain::get() {
    const std::shared_ptr<State> self = state_;
    if (self->current && !self->current->expires) co_return *self->current;
    const bool is_expired = self->is_expired();
    const Time now = self->host.now();
    if (!is_expired && now < self->advisory) co_return *self->current;
    if (self->rests_since(self->failed_at)) {
        if (is_expired) co_return fail(self->failure);
        co_return *self->current;
    }
    if (is_expired || now >= self->mandatory) co_return co_await State::renew_now(self);
    if (!self->renewal.is_under_way())
        self->background.spawn("renewal of credentials", State::renew_beside(self));
    co_return *self->current;
}

Task<Credentials> CredentialsChain::renew(std::string refused_access_key_id) {
    const std::shared_ptr<State> self = state_;
    const bool is_other = self->current && self->current->access_key_id != refused_access_key_id;
    if (is_other) co_return co_await get();
    if (!self->renewal.is_under_way()) {
        if (self->current && self->rests_since(self->forced_at)) co_return *self->current;
        self->forced_at = self->host.monotonic();
    }
    co_return co_await self->renewal.join(State::search(self));
}

}  // namespace capstan::aws
