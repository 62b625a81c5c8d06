/// Credentials that expire, renewed beside the calls that need them.
///
///     Renewed<Token> token_{host_, "the token", [this] { return find_token(); }};   // a member
///     const Token token = co_await token_.get();
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <capstan/attempts.hpp>
#include <capstan/background.hpp>
#include <capstan/single_flight.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// When a value that expires is renewed, before its end. Of one that lives for less than an hour
/// both are shorter: a quarter and a sixth of the life.
struct RenewalTimes {
    Duration advisory = std::chrono::minutes(15);   ///< from here on beside the calls
    Duration mandatory = std::chrono::minutes(10);  ///< from here on calls wait for it
    /// Renewals of several daemons are spread over this much time before `advisory`, or over a
    /// twentieth of the life.
    Duration jitter = std::chrono::minutes(2);
    /// After a renewal that failed, or one that was forced, at least this long goes by; meanwhile
    /// calls without a value get the error of it.
    Duration rest = std::chrono::seconds(30);
};

/// [strand] `T` has `std::optional<Time> expires`, where nothing means never. One search is under
/// way at a time, and all callers share it. While a value holds, a renewal that fails is logged,
/// and the value is used on.
template <class T>
class Renewed {
public:
    using Find = std::function<Task<T>()>;

    /// `name` is how the log calls the value, as the subject of a sentence in the plural:
    /// "credentials". What `find` borrows lives longer than this.
    Renewed(const Host& host, std::string name, Find find, RenewalTimes times = {})
        : state_(std::make_shared<State>(host, std::move(name), std::move(find), times)) {}

    /// The value, or the error of the search for one.
    Task<T> get() { return get(state_); }
    /// Another value than the one that was refused, if there is one: `is_refused` says which.
    Task<T> renew(std::function<bool(const T&)> is_refused) {
        return renew(state_, std::move(is_refused));
    }

private:
    struct State {
        State(const Host& of, std::string title, Find how, RenewalTimes when)
            : host(of),
              name(std::move(title)),
              find(std::move(how)),
              times(when),
              renewal(of),
              background(of) {}

        Host host;
        std::string name;
        Find find;
        RenewalTimes times;
        SingleFlight<T> renewal;
        Background background;
        std::optional<T> current{};
        Time advisory{}, mandatory{};  ///< of `current`, where it expires
        std::optional<Duration> failed_at{}, forced_at{};
        Error failure{};  ///< of `failed_at`

        bool rests_since(std::optional<Duration> since) const {
            return since && host.monotonic() - *since < times.rest;
        }
        bool is_expired() const {
            return !current || (current->expires && *current->expires <= host.now());
        }
        void keep(const T& fresh) {
            current = fresh;
            failed_at.reset();
            if (!fresh.expires) return;
            const Duration life = std::max(*fresh.expires - host.now(), Duration::zero());
            const Duration spread =
                share_of(std::min(times.jitter, life / 20), host.random_share());
            mandatory = *fresh.expires - std::min(times.mandatory, life / 6);
            advisory = *fresh.expires - std::min(times.advisory, life / 4) - spread;
        }
        void tell_failure(const Error& error) const {
            host.warn(name + " could not be renewed, and are used on: " + error.message);
        }
    };
    using Shared = std::shared_ptr<State>;

    /// A renewal of an instance that was stopped meanwhile is no failure.
    static bool is_end_of_instance(const Error& error) noexcept {
        return error.code == ErrorCode::cancelled;
    }

    /// Keeps what is found, or why nothing is.
    static Task<T> search(Shared self) {
        const Result<T> found = co_await as_result(self->find());
        if (found) {
            self->keep(*found);
        } else {
            self->failure = found.error();
            self->failed_at = self->host.monotonic();
        }
        co_return found;
    }
    static Task<void> renew_beside(Shared self) {
        const Result<T> fresh = co_await as_result(self->renewal.join(search(self)));
        if (!fresh && !is_end_of_instance(fresh.error())) self->tell_failure(fresh.error());
    }
    /// Waits for the renewal. What still holds is used where it fails.
    static Task<T> renew_now(Shared self) {
        const Result<T> fresh = co_await as_result(self->renewal.join(search(self)));
        if (fresh) co_return *fresh;
        if (self->is_expired() || is_end_of_instance(fresh.error())) co_return fail(fresh.error());
        self->tell_failure(fresh.error());
        co_return *self->current;
    }
    static Task<T> get(Shared self) {
        if (self->current && !self->current->expires) co_return *self->current;
        const bool is_expired = self->is_expired();
        const Time now = self->host.now();
        if (!is_expired && now < self->advisory) co_return *self->current;
        if (self->rests_since(self->failed_at)) {
            if (is_expired) co_return fail(self->failure);
            co_return *self->current;
        }
        if (is_expired || now >= self->mandatory) co_return co_await renew_now(self);
        if (!self->renewal.is_under_way())
            self->background.spawn("renewal of " + self->name, renew_beside(self));
        co_return *self->current;
    }
    static Task<T> renew(Shared self, std::function<bool(const T&)> is_refused) {
        const bool is_other = self->current && !is_refused(*self->current);
        if (is_other) co_return co_await get(self);
        if (!self->renewal.is_under_way()) {
            if (self->current && self->rests_since(self->forced_at)) co_return *self->current;
            self->forced_at = self->host.monotonic();
        }
        co_return co_await self->renewal.join(search(self));
    }

    Shared state_;
};

CAPSTAN_NAMESPACE_END
