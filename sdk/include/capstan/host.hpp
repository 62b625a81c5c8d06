/// Services of the host for an instance: log, clock, random numbers, metrics, secrets, state. For
/// timers, blocking work and HTTP, which are awaited, see task.hpp and http.hpp.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/abi/services.h>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

using LogFields = std::initializer_list<capstan_kv>;

/// A handle that is cheap to copy; valid as long as the instance. [any thread]
class Host {
public:
    explicit Host(const capstan_host* host) noexcept
        : host_(host),
          ops_(service<capstan_ops>(CAPSTAN_SERVICE_OPS)),
          log_(service<capstan_log>(CAPSTAN_SERVICE_LOG)),
          clock_(service<capstan_clock>(CAPSTAN_SERVICE_CLOCK)) {}

    const capstan_host* raw() const noexcept { return host_; }
    std::string_view instance_id() const noexcept { return text(host_->instance_id); }

    /// The table of a service, or nullptr if this host does not have it or it is not granted.
    template <class Table>
    const Table* service(const char* id) const noexcept {
        return static_cast<const Table*>(host_->service(host_, id));
    }
    const capstan_ops* ops() const noexcept { return ops_; }

    bool logs(std::int32_t level) const noexcept {
        return CAPSTAN_HAS(log_, capstan_log, enabled) && log_->enabled(host_, level) != 0;
    }
    void log(std::int32_t level, std::string_view message, LogFields fields = {}) const noexcept {
        if (!CAPSTAN_HAS(log_, capstan_log, write)) return;
        const capstan_array array{fields.begin(), static_cast<std::uint32_t>(fields.size()),
                                  sizeof(capstan_kv)};
        log_->write(host_, level, str(message), array);
    }
    void debug(std::string_view m, LogFields f = {}) const noexcept {
        log(CAPSTAN_LOG_DEBUG, m, f);
    }
    void info(std::string_view m, LogFields f = {}) const noexcept { log(CAPSTAN_LOG_INFO, m, f); }
    void warn(std::string_view m, LogFields f = {}) const noexcept { log(CAPSTAN_LOG_WARN, m, f); }
    void error(std::string_view m, LogFields f = {}) const noexcept {
        log(CAPSTAN_LOG_ERROR, m, f);
    }

    /// The monotonic clock: use it for deadlines and to measure elapsed time.
    Duration monotonic() const noexcept {
        return Duration(
            CAPSTAN_HAS(clock_, capstan_clock, monotonic_ns) ? clock_->monotonic_ns(host_) : 0);
    }
    /// The wall clock: use it for times that are exchanged with others. It may be set at any time,
    /// so do not measure elapsed time with it.
    Time now() const noexcept {
        return time_from_unix_ns(
            CAPSTAN_HAS(clock_, capstan_clock, unix_ns) ? clock_->unix_ns(host_) : 0);
    }
    /// For jitter and idempotency keys; a pure hook uses its call's seed instead.
    std::uint64_t random() const noexcept {
        return CAPSTAN_HAS(clock_, capstan_clock, random) ? clock_->random(host_) : 0;
    }

    /// From 0 (inclusive) to 1 (exclusive).
    double random_share() const noexcept { return static_cast<double>(random() >> 11) * 0x1p-53; }

    /// Calls `use(std::string_view)` with the secret. The text is wiped afterwards, so do not keep
    /// it. Errors: `permission`, `not_found` or `unavailable`, with a message of the host.
    template <class F>
    Result<void> with_secret(std::string_view name, F&& use) const;

private:
    const capstan_host* host_;
    const capstan_ops* ops_;
    const capstan_log* log_;
    const capstan_clock* clock_;
};

/// A key and its value for a log line; borrows both until the line is written.
inline capstan_kv field(std::string_view key, std::string_view value) noexcept {
    return {str(key), str(value)};
}

namespace detail {

/// Adapts a callable that may throw to a C callback `void (*)(void *user, A...)`.
template <class F>
struct Caught {
    F& use;
    std::exception_ptr thrown{};
    template <class... A>
    static void call(void* user, A... args) noexcept {
        auto& self = *static_cast<Caught*>(user);
        try {
            self.use(args...);
        } catch (...) {
            self.thrown = std::current_exception();
        }
    }
};

}  // namespace detail

template <class F>
Result<void> Host::with_secret(std::string_view name, F&& use) const {
    const auto* secrets = service<capstan_secrets>(CAPSTAN_SERVICE_SECRETS);
    if (!CAPSTAN_HAS(secrets, capstan_secrets, with)) {
        return fail(ErrorCode::permission, "secret " + std::string(name) + ": not granted");
    }
    struct Use {
        F& use;
        std::exception_ptr thrown{};
        std::optional<Error> error{};
    } call{use};
    const capstan_status status = secrets->with(
        host_, str(name),
        [](void* user, capstan_str value) noexcept {
            auto& self = *static_cast<Use*>(user);
            try {
                self.use(text(value));
            } catch (...) {
                self.thrown = std::current_exception();
            }
        },
        [](void* user, const capstan_error* error) noexcept {
            auto& self = *static_cast<Use*>(user);
            try {
                self.error = from_abi(*error);
            } catch (...) {
                self.thrown = std::current_exception();
            }
        },
        &call);
    if (call.thrown) std::rethrow_exception(call.thrown);
    if (call.error) return fail(std::move(*call.error));
    if (status != CAPSTAN_OK)
        return fail(error_code(status), "secret " + std::string(name) + ": cannot be read");
    return {};
}

/// A metric of this instance. Declare it once and keep it as a member. If the host refuses the
/// declaration, it does nothing.
class Metric {
public:
    Metric() = default;
    Metric(const Host& host, std::int32_t type, std::string_view name, std::string_view help,
           const std::vector<std::string_view>& labels = {},
           const std::vector<double>& buckets = {})
        : host_(host.raw()), metrics_(host.service<capstan_metrics>(CAPSTAN_SERVICE_METRICS)) {
        const std::vector<capstan_str> names(crossing(labels));
        const capstan_metric metric{sizeof metric,    type, str(name), str(help), array_of(names),
                                    array_of(buckets)};
        if (!CAPSTAN_HAS(metrics_, capstan_metrics, declare) ||
            metrics_->declare(host_, &metric, &id_) != CAPSTAN_OK) {
            metrics_ = nullptr;
        }
    }
    /// Adds to a counter, sets a gauge, observes into a histogram.
    void record(double value, std::initializer_list<std::string_view> labels = {}) const {
        if (!CAPSTAN_HAS(metrics_, capstan_metrics, record)) return;
        const std::vector<capstan_str> values(crossing(labels));
        metrics_->record(host_, id_, value, array_of(values));
    }

private:
    static std::vector<capstan_str> crossing(const std::vector<std::string_view>& texts) {
        std::vector<capstan_str> out;
        for (const std::string_view t : texts) out.push_back(str(t));
        return out;
    }
    const capstan_host* host_ = nullptr;
    const capstan_metrics* metrics_ = nullptr;
    std::uint32_t id_ = 0;
};

inline Metric counter(const Host& host, std::string_view name, std::string_view help,
                      const std::vector<std::string_view>& labels = {}) {
    return {host, CAPSTAN_METRIC_COUNTER, name, help, labels};
}
inline Metric gauge(const Host& host, std::string_view name, std::string_view help,
                    const std::vector<std::string_view>& labels = {}) {
    return {host, CAPSTAN_METRIC_GAUGE, name, help, labels};
}
inline Metric histogram(const Host& host, std::string_view name, std::string_view help,
                        const std::vector<double>& buckets,
                        const std::vector<std::string_view>& labels = {}) {
    return {host, CAPSTAN_METRIC_HISTOGRAM, name, help, labels, buckets};
}

/// A value of this instance that is kept across restarts, and its revision for the next write.
struct StoredValue {
    std::string value;
    std::uint64_t revision = 0;
};

inline Result<StoredValue> read_state(const Host& host, std::string_view key) {
    const auto* state = host.service<capstan_state>(CAPSTAN_SERVICE_STATE);
    if (!CAPSTAN_HAS(state, capstan_state, get))
        return fail(ErrorCode::permission, "state is not granted");
    StoredValue out;
    auto store = [&out](capstan_str value, std::uint64_t revision) {
        out = {std::string(text(value)), revision};
    };
    detail::Caught<decltype(store)> caught{store};
    const capstan_status status = state->get(
        host.raw(), str(key),
        [](void* user, capstan_str value, std::uint64_t revision) noexcept {
            detail::Caught<decltype(store)>::call(user, value, revision);
        },
        &caught);
    if (caught.thrown) std::rethrow_exception(caught.thrown);
    if (status != CAPSTAN_OK)
        return fail(error_code(status), "state " + std::string(key) + ": cannot be read");
    return out;
}

/// Writes if the key still has the revision `if_revision` (0: it does not exist). Returns the new
/// revision.
inline Result<std::uint64_t> write_state(const Host& host, std::string_view key,
                                         std::string_view value, std::uint64_t if_revision) {
    const auto* state = host.service<capstan_state>(CAPSTAN_SERVICE_STATE);
    if (!CAPSTAN_HAS(state, capstan_state, put))
        return fail(ErrorCode::permission, "state is not granted");
    std::uint64_t revision = 0;
    const capstan_status status =
        state->put(host.raw(), str(key), str(value), if_revision, &revision);
    if (status != CAPSTAN_OK)
        return fail(error_code(status), "state " + std::string(key) + ": cannot be written");
    return revision;
}

CAPSTAN_NAMESPACE_END
