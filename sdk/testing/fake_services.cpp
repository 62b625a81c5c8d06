// The small services: clock, log, metrics, secrets, state, operations.
#include <algorithm>
#include <optional>
#include <utility>

#include <capstan/ascii.hpp>

#include "fake_parts.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

std::uint64_t next_random(std::uint64_t& state) noexcept {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::vector<std::string> texts(capstan_array array) {
    std::vector<std::string> out;
    for (const capstan_str& s : View<capstan_str>(array)) out.emplace_back(text(s));
    return out;
}

// capstan.clock/1

std::int64_t monotonic_ns(const capstan_host* host) noexcept {
    return parts(host).loop.now().count();
}
std::int64_t wall_ns(const capstan_host* host) noexcept { return unix_ns(parts(host).now()); }
std::uint64_t random(const capstan_host* host) noexcept {
    const std::lock_guard lock(parts(host).mutex);
    return next_random(parts(host).random_state);
}

// capstan.log/1

std::int32_t log_enabled(const capstan_host* host, std::int32_t level) noexcept {
    return level >= parts(host).log_level ? 1 : 0;
}
void log_write(const capstan_host* host, std::int32_t level, capstan_str message,
               capstan_array fields) noexcept {
    FakeParts& p = parts(host);
    if (level < p.log_level) return;
    LogLine line{level, std::string(text(message)), {}};
    for (const capstan_kv& f : View<capstan_kv>(fields))
        line.fields.emplace(text(f.key), text(f.value));
    const std::lock_guard lock(p.mutex);
    p.log_lines.push_back(std::move(line));
}

// capstan.metrics/1

bool is_metric_name(std::string_view name) noexcept {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) || c == '_';
    });
}
bool same_declaration(const FakeMetric& a, const FakeMetric& b) {
    return a.type == b.type && a.help == b.help && a.label_names == b.label_names &&
           a.buckets == b.buckets;
}
capstan_status declare(const capstan_host* host, const capstan_metric* metric,
                       std::uint32_t* id) noexcept {
    const std::string name(text(metric->name));
    const bool known_type =
        metric->type >= CAPSTAN_METRIC_COUNTER && metric->type <= CAPSTAN_METRIC_HISTOGRAM;
    if (!is_metric_name(name) || !known_type) return CAPSTAN_E_INVALID_ARGUMENT;
    FakeMetric declared{
        metric->type, std::string(text(metric->help)), texts(metric->label_names), {}};
    for (const double bound : View<double>(metric->buckets)) declared.buckets.push_back(bound);
    FakeParts& p = parts(host);
    const std::lock_guard lock(p.mutex);
    const auto [at, is_new] = p.metrics.try_emplace(name, declared);
    if (!is_new && !same_declaration(at->second, declared)) return CAPSTAN_E_CONFLICT;
    if (is_new) p.metric_names.push_back(name);
    const auto index =
        std::find(p.metric_names.begin(), p.metric_names.end(), name) - p.metric_names.begin();
    *id = static_cast<std::uint32_t>(index);
    return CAPSTAN_OK;
}
capstan_status record_metric(const capstan_host* host, std::uint32_t id, double value,
                             capstan_array labels) noexcept {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_METRICS)) return CAPSTAN_E_BUSY;
    const std::lock_guard lock(p.mutex);
    if (id >= p.metric_names.size()) return CAPSTAN_E_INVALID_ARGUMENT;
    FakeMetric& metric = p.metrics.find(p.metric_names[id])->second;
    const bool falls = metric.type == CAPSTAN_METRIC_COUNTER && !(value >= 0);
    if (falls || labels.count != metric.label_names.size()) return CAPSTAN_E_INVALID_ARGUMENT;
    metric.recorded[texts(labels)].push_back(value);
    return CAPSTAN_OK;
}

// capstan.reconcile/1

capstan_status take_wish(const capstan_host* host, std::int64_t within_ns) noexcept {
    FakeParts& p = parts(host);
    if (p.loop.is_stopping()) return CAPSTAN_E_CANCELLED;
    const Duration due = p.loop.now() + Duration(std::max<std::int64_t>(within_ns, 0));
    const std::lock_guard lock(p.mutex);
    p.wish = std::min(p.wish.value_or(due), due);
    return CAPSTAN_OK;
}

// capstan.wake/1

capstan_status take_wake(const capstan_host* host, capstan_str why) noexcept {
    FakeParts& p = parts(host);
    if (p.loop.is_stopping()) return CAPSTAN_E_CANCELLED;
    const std::lock_guard lock(p.mutex);
    p.wakes.emplace_back(text(why));
    return CAPSTAN_OK;
}

// capstan.secrets/1

capstan_status with_secret(const capstan_host* host, capstan_str name,
                           void (*fn)(void*, capstan_str) noexcept,
                           void (*on_error)(void*, const capstan_error*) noexcept,
                           void* user) noexcept {
    std::optional<std::string> known;
    {
        const std::lock_guard lock(parts(host).mutex);
        const auto at = parts(host).secrets.find(text(name));
        if (at != parts(host).secrets.end()) known = at->second;
    }
    if (!known) {
        const Error error{ErrorCode::permission,
                          "secret " + std::string(text(name)) + ": is not granted"};
        const capstan_error raw = to_abi(error);
        if (on_error != nullptr) on_error(user, &raw);
        return raw.code;
    }
    std::string& value = *known;
    fn(user, str(value));
    // A plugin that keeps the borrowed text finds nothing there, as in a real host.
    std::fill(value.begin(), value.end(), '\0');
    return CAPSTAN_OK;
}

// capstan.state/1

capstan_status get_state(const capstan_host* host, capstan_str key,
                         void (*fn)(void*, capstan_str, std::uint64_t) noexcept,
                         void* user) noexcept {
    StoredValue stored;
    {
        const std::lock_guard lock(parts(host).mutex);
        const auto at = parts(host).state.find(text(key));
        if (at == parts(host).state.end()) return CAPSTAN_E_NOT_FOUND;
        stored = at->second;
    }
    fn(user, str(stored.value), stored.revision);
    return CAPSTAN_OK;
}
capstan_status put_state(const capstan_host* host, capstan_str key, capstan_str value,
                         std::uint64_t if_revision, std::uint64_t* new_revision) noexcept {
    constexpr std::size_t room = std::size_t{64} << 10;
    FakeParts& p = parts(host);
    const std::lock_guard lock(p.mutex);
    std::size_t taken = key.len + value.len;
    for (const auto& [name, stored] : p.state) {
        if (name != text(key)) taken += name.size() + stored.value.size();
    }
    const auto at = p.state.find(text(key));
    const std::uint64_t revision = at == p.state.end() ? 0 : at->second.revision;
    if (revision != if_revision) return CAPSTAN_E_CONFLICT;
    if (taken > room) return CAPSTAN_E_QUOTA;
    p.state.insert_or_assign(std::string(text(key)),
                             StoredValue{std::string(text(value)), revision + 1});
    if (new_revision != nullptr) *new_revision = revision + 1;
    return CAPSTAN_OK;
}

// capstan.cache/1

constexpr std::size_t cache_blob_limit = std::size_t{64} << 20;
constexpr std::size_t cache_limit = std::size_t{256} << 20;

bool is_cache_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 100 && name[0] != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.';
           });
}
capstan_status get_cached(const capstan_host* host, capstan_str name,
                          void (*fn)(void*, capstan_str, std::int64_t) noexcept,
                          void* user) noexcept {
    if (!is_cache_name(text(name)) || fn == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    CachedBlob blob;
    {
        const std::lock_guard lock(parts(host).mutex);
        const auto at = parts(host).cache.find(text(name));
        if (at == parts(host).cache.end()) return CAPSTAN_E_NOT_FOUND;
        blob = at->second;
    }
    fn(user, str(blob.value), unix_ns(blob.put));
    return CAPSTAN_OK;
}
capstan_status put_cached(const capstan_host* host, capstan_str name, capstan_str value) noexcept {
    if (!is_cache_name(text(name))) return CAPSTAN_E_INVALID_ARGUMENT;
    FakeParts& p = parts(host);
    const std::lock_guard lock(p.mutex);
    std::size_t taken = value.len;
    for (const auto& [other, blob] : p.cache)
        if (other != text(name)) taken += blob.value.size();
    if (value.len > cache_blob_limit || taken > cache_limit) return CAPSTAN_E_QUOTA;
    p.cache.insert_or_assign(std::string(text(name)),
                             CachedBlob{std::string(text(value)), p.now()});
    return CAPSTAN_OK;
}
capstan_status remove_cached(const capstan_host* host, capstan_str name) noexcept {
    if (!is_cache_name(text(name))) return CAPSTAN_E_INVALID_ARGUMENT;
    const std::lock_guard lock(parts(host).mutex);
    const auto at = parts(host).cache.find(text(name));
    if (at == parts(host).cache.end()) return CAPSTAN_E_NOT_FOUND;
    parts(host).cache.erase(at);
    return CAPSTAN_OK;
}

// capstan.ops/1

capstan_status complete(const capstan_host* host, capstan_op op, std::uint32_t type,
                        const void* result) noexcept {
    return parts(host).operations.complete(op, type, result);
}
capstan_status fail_operation(const capstan_host* host, capstan_op op,
                              const capstan_error* error) noexcept {
    return parts(host).operations.fail(op, *error);
}
std::int32_t cancelled(const capstan_host* host, capstan_op op) noexcept {
    return parts(host).operations.is_cancelled(op) ? 1 : 0;
}
std::int64_t deadline_ns(const capstan_host* host, capstan_op op) noexcept {
    return parts(host).operations.deadline(op).count();
}
capstan_status on_cancel(const capstan_host* host, capstan_op op,
                         void (*fn)(void*, capstan_op) noexcept, void* user) noexcept {
    return parts(host).operations.on_cancel(op, fn, user);
}

}  // namespace

const capstan_cache& fake_cache_table() noexcept {
    static constexpr capstan_cache table{sizeof(capstan_cache), 0, &get_cached, &put_cached,
                                         &remove_cached};
    return table;
}
const capstan_clock& fake_clock_table() noexcept {
    static constexpr capstan_clock table{sizeof(capstan_clock), 0, &monotonic_ns, &wall_ns,
                                         &random};
    return table;
}
const capstan_log& fake_log_table() noexcept {
    static constexpr capstan_log table{sizeof(capstan_log), 0, &log_enabled, &log_write};
    return table;
}
const capstan_metrics& fake_metrics_table() noexcept {
    static constexpr capstan_metrics table{sizeof(capstan_metrics), 0, &declare, &record_metric};
    return table;
}
const capstan_reconcile_service& fake_reconcile_table() noexcept {
    static constexpr capstan_reconcile_service table{sizeof(capstan_reconcile_service), 0,
                                                     &take_wish};
    return table;
}
const capstan_wake& fake_wake_table() noexcept {
    static constexpr capstan_wake table{sizeof(capstan_wake), 0, &take_wake};
    return table;
}
const capstan_secrets& fake_secrets_table() noexcept {
    static constexpr capstan_secrets table{sizeof(capstan_secrets), 0, &with_secret};
    return table;
}
const capstan_state& fake_state_table() noexcept {
    static constexpr capstan_state table{sizeof(capstan_state), 0, &get_state, &put_state};
    return table;
}
const capstan_ops& fake_ops_table() noexcept {
    static constexpr capstan_ops table{
        sizeof(capstan_ops), 0, &complete, &fail_operation, &cancelled, &deadline_ns, &on_cancel};
    return table;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
