#include <algorithm>
#include <string>

#include <capstan/view.hpp>

#include "io/printable.hpp"
#include "plugin_runtime/services/services.hpp"

namespace capstan::plugin_runtime::services {

namespace {

/// Problems of the folder are logged, for the operator.
capstan_status cache_answer(const HostContext& of, const Error& error) {
    if (error.code == ErrorCode::unavailable) of.say(config::LogLevel::warn, error.message);
    return static_cast<capstan_status>(error.code);
}

capstan_status get_blob(const capstan_host* host, capstan_str name,
                        void (*fn)(void*, capstan_str, std::int64_t) CAPSTAN_NOEXCEPT,
                        void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<CachedBlob> blob = of.cache()->get(of.identity().id, text(name));
        if (!blob) return cache_answer(of, blob.error());
        loop::distrusted(fn)(user, str(blob->value), unix_ns(blob->put));
        return CAPSTAN_OK;
    });
}

capstan_status put_blob(const capstan_host* host, capstan_str name, capstan_str value) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<void> written = of.cache()->put(of.identity().id, text(name), text(value));
        return written ? CAPSTAN_OK : cache_answer(of, written.error());
    });
}

capstan_status remove_blob(const capstan_host* host, capstan_str name) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.cache() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<void> removed = of.cache()->remove(of.identity().id, text(name));
        return removed ? CAPSTAN_OK : cache_answer(of, removed.error());
    });
}

}  // namespace

const capstan_cache cache{sizeof cache, 0, &get_blob, &put_blob, &remove_blob};

namespace {

std::int64_t monotonic_ns(const capstan_host* host) noexcept {
    return context(host).clock().monotonic().count();
}

std::int64_t wall_ns(const capstan_host* host) noexcept {
    return capstan::unix_ns(context(host).clock().wall());
}

std::uint64_t random_bits(const capstan_host* host) noexcept {
    return context(host).random().next();
}

}  // namespace

const capstan_clock clock{sizeof clock, 0, &monotonic_ns, &wall_ns, &random_bits};

namespace {

capstan_status post(const capstan_host* host, capstan_task fn, void* user) noexcept {
    return guarded([&] { return context(host).tasks().post(fn, user); });
}

capstan_status after(const capstan_host* host, std::int64_t delay_ns, capstan_task fn, void* user,
                     std::uint64_t* timer) noexcept {
    return guarded(
        [&] { return context(host).tasks().after(Duration(delay_ns), fn, user, timer); });
}

capstan_status cancel_timer(const capstan_host* host, std::uint64_t timer) noexcept {
    return guarded([&] { return context(host).tasks().cancel_timer(timer); });
}

capstan_status run_blocking(const capstan_host* host, loop::PendingCallbacks::Work work,
                            capstan_task done, void* user) noexcept {
    return guarded([&] { return context(host).tasks().blocking(work, done, user); });
}

}  // namespace

const capstan_exec exec{sizeof exec, 0, &post, &after, &cancel_timer, &run_blocking};

namespace {

capstan_status send_http(const capstan_host* host, const capstan_http_request* request,
                         capstan_http_done done, void* user) noexcept {
    return guarded([&] { return context(host).http().send(request, done, user); });
}

}  // namespace

const capstan_http http{sizeof http, 0, &send_http};

namespace {

/// Runs `use` with the instance's cluster.
template <class F>
capstan_status with_kube(const capstan_host* host, F&& use) noexcept {
    PluginKube* const kube = context(host).kube();
    if (kube == nullptr) return CAPSTAN_E_PERMISSION;
    return guarded([&] { return use(*kube); });
}

capstan_status send_kube(const capstan_host* host, const capstan_kube_request* request,
                         capstan_kube_done done, void* user) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.send(request, done, user); });
}

capstan_status resolve_kind(const capstan_host* host, capstan_str api_version, capstan_str kind,
                            capstan_op parent, capstan_kube_resolved done, void* user) noexcept {
    return with_kube(host, [&](PluginKube& kube) {
        return kube.resolve(api_version, kind, parent, done, user);
    });
}

capstan_status watch(const capstan_host* host, const capstan_kube_watch* what,
                     capstan_kube_on_event on_event, void* user, std::uint64_t* id) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.watch(what, on_event, user, id); });
}

capstan_status unwatch(const capstan_host* host, std::uint64_t id) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.unwatch(id); });
}

capstan_status record_event(const capstan_host* host, const capstan_kube_note* note) noexcept {
    return with_kube(host, [&](PluginKube& kube) { return kube.record(note); });
}

}  // namespace

const capstan_kube kube{sizeof kube, 0, &send_kube, &resolve_kind, &watch, &unwatch, &record_event};

namespace {

constexpr std::uint32_t field_limit = 64;

/// An unknown level counts as the nearest known one.
config::LogLevel level_of(std::int32_t level) noexcept {
    return static_cast<config::LogLevel>(
        std::clamp<std::int32_t>(level, CAPSTAN_LOG_TRACE, CAPSTAN_LOG_ERROR));
}

std::int32_t enabled(const capstan_host* host, std::int32_t level) noexcept {
    const HostContext& of = context(host);
    return guarded([&] { return of.log().is_kept(level_of(level), of.id()) ? 1 : 0; }) == 1 ? 1 : 0;
}

void write(const capstan_host* host, std::int32_t level, capstan_str message,
           capstan_array fields) noexcept {
    guarded([&] {
        const HostContext& of = context(host);
        if (!of.log().is_kept(level_of(level), of.id())) return CAPSTAN_OK;
        LogPairs pairs;
        for (const capstan_kv& field : View<capstan_kv>(fields)) {
            if (pairs.size() == field_limit) break;
            pairs.emplace_back(text(field.key), text(field.value));
        }
        of.log().write(level_of(level), of.id(), text(message), pairs);
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_log log{sizeof log, 0, &enabled, &write};

namespace {

capstan_status declare(const capstan_host* host, const capstan_metric* metric,
                       std::uint32_t* id) noexcept {
    if (metric == nullptr || id == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&] {
        HostContext& of = context(host);
        std::string why;
        const capstan_status status = of.plugin_metrics().declare(*metric, *id, &why);
        if (!why.empty()) of.say(config::LogLevel::warn, why);
        return status;
    });
}

capstan_status record_value(const capstan_host* host, std::uint32_t id, double value,
                            capstan_array labels) noexcept {
    return guarded([&] {
        HostContext& of = context(host);
        const capstan_status status = of.plugin_metrics().record(id, value, labels);
        if (status == CAPSTAN_E_BUSY) of.metrics().dropped_value();
        return status;
    });
}

}  // namespace

const capstan_metrics metrics{sizeof metrics, 0, &declare, &record_value};

namespace {

capstan_status complete(const capstan_host* host, capstan_op op, std::uint32_t type,
                        const void* result) noexcept {
    return guarded([&] { return context(host).operations().complete(op, type, result); });
}

capstan_status fail_op(const capstan_host* host, capstan_op op,
                       const capstan_error* error) noexcept {
    return guarded([&] { return context(host).operations().fail(op, error); });
}

std::int32_t cancelled(const capstan_host* host, capstan_op op) noexcept {
    return context(host).operations().is_cancelled(op) ? 1 : 0;
}

std::int64_t deadline_ns(const capstan_host* host, capstan_op op) noexcept {
    return context(host).operations().deadline_of(op).value_or(Duration::zero()).count();
}

capstan_status on_cancel(const capstan_host* host, capstan_op op, OperationTable::CancelFunction fn,
                         void* user) noexcept {
    return guarded([&] { return context(host).operations().on_cancel(op, fn, user); });
}

}  // namespace

const capstan_ops ops{sizeof ops, 0, &complete, &fail_op, &cancelled, &deadline_ns, &on_cancel};

namespace {

capstan_status request_reconcile(const capstan_host* host, std::int64_t within_ns) noexcept {
    return guarded([&]() -> capstan_status {
        HostContext& of = context(host);
        if (of.tasks().is_closed()) return CAPSTAN_E_CANCELLED;
        of.reconcile_requests().submit(Duration(std::max<std::int64_t>(within_ns, 0)));
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_reconcile_service reconcile{sizeof reconcile, 0, &request_reconcile};

namespace {

bool is_secret_granted(const HostContext& of, std::string_view name) {
    const auto& names = of.identity().grants.secrets;
    return std::find(names.begin(), names.end(), name) != names.end();
}

Result<SecretText> read_secret(const HostContext& of, std::string_view name) {
    if (!is_secret_granted(of, name))
        return fail(ErrorCode::permission, "not granted: add it to plugin." +
                                               of.identity().id.value() + ".grants.secrets");
    if (of.secrets() == nullptr) return fail(ErrorCode::permission, "secrets.dir is not set");
    Result<SecretText> secret = of.secrets()->read(name);
    if (!secret)
        of.say(config::LogLevel::warn,
               "secret " + std::string(name) + ": " + secret.error().message);
    return secret;
}

capstan_status with(const capstan_host* host, capstan_str name,
                    void (*fn)(void*, capstan_str) CAPSTAN_NOEXCEPT,
                    void (*on_error)(void*, const capstan_error*) CAPSTAN_NOEXCEPT,
                    void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const Result<SecretText> secret = read_secret(context(host), text(name));
        if (secret) {
            loop::distrusted(fn)(user, str(secret->view()));
            return CAPSTAN_OK;
        }
        const Error error = within("secret " + std::string(text(name)), secret.error());
        const capstan_error raw = to_abi(error);
        if (on_error != nullptr) loop::distrusted(on_error)(user, &raw);
        return raw.code;
    });
}

}  // namespace

const capstan_secrets secrets{sizeof secrets, 0, &with};

namespace {

/// Problems of the store are logged, for the operator, because the plugin learns the code alone;
/// mistakes of the plugin are not.
capstan_status answer(const HostContext& of, const Error& error) {
    if (error.code == ErrorCode::unavailable || error.code == ErrorCode::quota)
        of.say(config::LogLevel::warn, error.message);
    return static_cast<capstan_status>(error.code);
}

capstan_status get(const capstan_host* host, capstan_str key,
                   void (*fn)(void*, capstan_str, std::uint64_t) CAPSTAN_NOEXCEPT,
                   void* user) noexcept {
    if (fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.state() == nullptr) return CAPSTAN_E_PERMISSION;
        const Result<StoredValue> stored = of.state()->get(of.identity().id, text(key));
        if (!stored) return answer(of, stored.error());
        loop::distrusted(fn)(user, str(stored->value), stored->revision);
        return CAPSTAN_OK;
    });
}

capstan_status put(const capstan_host* host, capstan_str key, capstan_str value,
                   std::uint64_t if_revision, std::uint64_t* new_revision) noexcept {
    return guarded([&]() -> capstan_status {
        const HostContext& of = context(host);
        if (of.state() == nullptr) return CAPSTAN_E_PERMISSION;
        // Before the value is copied.
        if (value.len > StateStore::size_limit)
            return answer(of, above_state_limit(text(key), value.len));
        const auto written = of.state()->put(of.identity().id, text(key), text(value), if_revision);
        if (!written) return answer(of, written.error());
        if (new_revision != nullptr) *new_revision = *written;
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_state state{sizeof state, 0, &get, &put};

namespace {

constexpr std::size_t why_limit = 256;

capstan_status wake_host(const capstan_host* host, capstan_str why) noexcept {
    return guarded([&]() -> capstan_status {
        HostContext& of = context(host);
        if (of.tasks().is_closed()) return CAPSTAN_E_CANCELLED;
        of.metrics().pass_requested();
        of.pass_requests().submit({of.id(), io::printable(text(why), why_limit)});
        return CAPSTAN_OK;
    });
}

}  // namespace

const capstan_wake wake{sizeof wake, 0, &wake_host};

}  // namespace capstan::plugin_runtime::services
