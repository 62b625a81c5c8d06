/// Credentials that expire, renewed in the background.
///
///     Renewed<Token> token_{host_, "tokens", [this] { return find_token(); }};   // a member
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

/// How long before its expiry a value is renewed. `advisory` is at most a quarter of the lifetime
/// of the value, and `mandatory` at most a sixth.
struct RenewalTimes {
    Duration advisory = std::chrono::minutes(15);   ///< from here on in the background
    Duration mandatory = std::chrono::minutes(10);  ///< from here on calls wait for the renewal
    /// Renewals of several processes are spread over this time before `advisory`, or over a
    /// twentieth of the lifetime if that is shorter.
    Duration jitter = std::chrono::minutes(2);
    /// The minimum wait after a failed or forced renewal. After a failed one, calls meanwhile
    /// return a value that is still valid, or else fail with the error of that renewal.
    Duration rest = std::chrono::seconds(30);
};

/// [strand] `T` has a member `std::optional<Time> expires`; absent means never. At most one renewal
/// runs at a time, and all callers share it. If `get` cannot renew a value that is still valid, it
/// logs the failure, and the value stays in use.
template <class T>
class Renewed {
public:
    using Find = std::function<Task<T>()>;

    /// `name` names the value in log messages, in the plural: "credentials". What `find` borrows
    /// must outlive this object.
    Renewed(const Host& host, std::string name, Find find, RenewalTimes times = {})
        : state_(std::make_shared<State>(host, std::move(name), std::move(find), times)) {}

    /// The value, or the error of `find`.
    Task<T> get() { return get(state_); }
    /// A value in place of a refused one, which `is_refused` identifies: the current value if it is
    /// a different one, otherwise a new value. Less than `rest` after such a renewal, the refused
    /// value itself is returned.
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
        Time advisory{}, mandatory{};  ///< of `current`, if it expires
        std::optional<Duration> failed_at{}, forced_at{};
        Error failure{};  ///< of `failed_at`

        bool rests_since(std::optional<Duration> since) const {
            return since && host.monotonic() - *since < times.rest;
        }
        /// NULL: there is no value, or it has expired.
        const T* find_valid() const {
            if (!current || (current->expires && *current->expires <= host.now())) return nullptr;
            return &*current;
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
        void report_failure(const Error& error) const {
            host.warn(name + ": renewal failed, the current ones stay in use: " + error.message);
        }
    };
    using Shared = std::shared_ptr<State>;

    /// A renewal that was cancelled because the instance stops is not a failure.
    static bool is_end_of_instance(const Error& error) noexcept {
        return error.code == ErrorCode::cancelled;
    }

    /// Stores the new value or the error.
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
        if (!fresh && !is_end_of_instance(fresh.error())) self->report_failure(fresh.error());
    }
    /// Waits for the renewal. If it fails, a value that is still valid is used.
    static Task<T> renew_now(Shared self) {
        const Result<T> fresh = co_await as_result(self->renewal.join(search(self)));
        if (fresh) co_return *fresh;
        const T* const valid = self->find_valid();
        if (valid == nullptr || is_end_of_instance(fresh.error())) co_return fail(fresh.error());
        self->report_failure(fresh.error());
        co_return *valid;
    }
    static Task<T> get(Shared self) {
        const T* const valid = self->find_valid();
        const Time now = self->host.now();
        if (valid != nullptr && (!valid->expires || now < self->advisory)) co_return *valid;
        if (self->rests_since(self->failed_at)) {
            if (valid == nullptr) co_return fail(self->failure);
            co_return *valid;
        }
        if (valid == nullptr || now >= self->mandatory) co_return co_await renew_now(self);
        if (!self->renewal.is_under_way())
            self->background.spawn("renewal of " + self->name, renew_beside(self));
        co_return *valid;
    }
    static Task<T> renew(Shared self, std::function<bool(const T&)> is_refused) {
        const std::optional<T>& current = self->current;
        const bool is_other = current && !is_refused(*current);
        if (is_other) co_return co_await get(self);
        if (!self->renewal.is_under_way()) {
            if (current && self->rests_since(self->forced_at)) co_return *current;
            self->forced_at = self->host.monotonic();
        }
        co_return co_await self->renewal.join(search(self));
    }

    Shared state_;
};

CAPSTAN_NAMESPACE_END
