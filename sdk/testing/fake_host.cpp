#include <capstan/testing/fake_host.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "fake_parts.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

const void* table_of(std::string_view id) noexcept {
    if (id == CAPSTAN_SERVICE_CACHE) return &fake_cache_table();
    if (id == CAPSTAN_SERVICE_CLOCK) return &fake_clock_table();
    if (id == CAPSTAN_SERVICE_EXEC) return &fake_exec_table();
    if (id == CAPSTAN_SERVICE_HTTP) return &fake_http_table();
    if (id == CAPSTAN_SERVICE_KUBE) return &fake_kube_table();
    if (id == CAPSTAN_SERVICE_LOG) return &fake_log_table();
    if (id == CAPSTAN_SERVICE_METRICS) return &fake_metrics_table();
    if (id == CAPSTAN_SERVICE_OPS) return &fake_ops_table();
    if (id == CAPSTAN_SERVICE_RECONCILE) return &fake_reconcile_table();
    if (id == CAPSTAN_SERVICE_SECRETS) return &fake_secrets_table();
    if (id == CAPSTAN_SERVICE_STATE) return &fake_state_table();
    if (id == CAPSTAN_SERVICE_WAKE) return &fake_wake_table();
    return nullptr;
}

const void* find_service(const capstan_host* host, const char* id) noexcept {
    if (id == nullptr) return nullptr;
    FakeParts& p = parts(host);
    const std::lock_guard lock(p.mutex);
    return p.withheld.contains(std::string_view(id)) ? nullptr : table_of(id);
}

const Error stopping{ErrorCode::cancelled, "the instance is stopping"};

}  // namespace

FakeHost::FakeHost(FakeHostOptions options)
    : parts_(std::make_unique<FakeParts>(std::move(options))) {
    FakeParts& p = *parts_;
    p.handle = {.struct_size = sizeof(capstan_host),
                .abi_major = CAPSTAN_ABI_MAJOR,
                .abi_minor = p.options.abi_minor,
                .product = str("capstan-testing"),
                .version = str(CAPSTAN_SDK_VERSION),
                .instance_id = str(p.options.instance_id),
                .ctx = &p,
                .service = &find_service};
}

FakeHost::~FakeHost() { std::ignore = stop(); }

const capstan_host* FakeHost::handle() const noexcept { return &parts_->handle; }

bool FakeHost::run() { return parts_->loop.run(); }
bool FakeHost::advance(Duration by) { return parts_->loop.advance(by); }
bool FakeHost::step() { return parts_->loop.step(std::chrono::hours(24 * 365)); }
Duration FakeHost::monotonic() const { return parts_->loop.now(); }
Time FakeHost::now() const { return parts_->now(); }
void FakeHost::step_wall(Duration by) { parts_->wall_ahead += by; }

capstan_op FakeHost::open_raw(std::uint32_t type, Duration allowed,
                              std::shared_ptr<detail::OperationSink> sink) {
    return parts_->operations.open(type, allowed, std::move(sink));
}

void FakeHost::returned(capstan_op op, capstan_status status) {
    parts_->operations.refuse_start(
        op,
        {error_code(status), "the function returned " + std::string(name_of(error_code(status)))});
}

void FakeHost::cancel(capstan_op op) {
    parts_->operations.close(op, {ErrorCode::cancelled, "cancelled by the host"});
}

std::size_t FakeHost::open_operations() const { return parts_->operations.open_count(); }
Misuse FakeHost::misuse() const { return parts_->operations.misuse(); }

Result<void> FakeHost::stop(const capstan_instance* instance) {
    const Operation<void> operation = open<void>();
    parts_->loop.stop();
    capstan_status status = CAPSTAN_OK;
    const bool has_stop = instance != nullptr && CAPSTAN_HAS(instance, capstan_instance, stop);
    if (has_stop)
        status =
            instance->stop(instance->self, operation.id(), &asked_by_verify<capstan_stop_request>);
    parts_->operations.close_all(operation.id(), stopping);
    if (status != CAPSTAN_OK) returned(operation.id(), status);
    if (!has_stop) {
        run();
        parts_->operations.complete(operation.id(), CAPSTAN_RESULT_NONE, nullptr);
    }
    return settle(operation);
}

void FakeHost::restart() { parts_->loop.restart(); }

FakeHttp& FakeHost::http() noexcept { return parts_->http; }
FakeKube& FakeHost::kube() noexcept { return parts_->kube; }
std::map<std::string, std::string, std::less<>>& FakeHost::secrets() noexcept {
    return parts_->secrets;
}
Result<StoredValue> FakeHost::state(std::string_view key) const { return read_state(host(), key); }

void FakeHost::put_state(std::string key, std::string value) {
    const std::lock_guard lock(parts_->mutex);
    StoredValue& stored = parts_->state[std::move(key)];
    stored = {std::move(value), stored.revision + 1};
}

void FakeHost::forget() {
    parts_->operations.forget_closed();
    const std::lock_guard lock(parts_->mutex);
    parts_->http.forget();
    parts_->log_lines = {};
    for (auto& [name, metric] : parts_->metrics) metric.recorded.clear();
}

void FakeHost::set_log_level(std::int32_t level) noexcept { parts_->log_level = level; }

std::optional<Duration> FakeHost::take_wish() {
    const std::lock_guard lock(parts_->mutex);
    const std::optional<Duration> due = std::exchange(parts_->wish, std::nullopt);
    if (!due) return std::nullopt;
    return std::max(*due - parts_->loop.now(), Duration::zero());
}

std::map<std::string, CachedBlob, std::less<>>& FakeHost::cache() noexcept { return parts_->cache; }

std::vector<std::string> FakeHost::take_wakes() {
    const std::lock_guard lock(parts_->mutex);
    return std::exchange(parts_->wakes, {});
}

std::vector<LogLine> FakeHost::log_lines() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->log_lines;
}

std::vector<double> FakeHost::recorded(std::string_view name,
                                       std::initializer_list<std::string_view> labels) const {
    const std::lock_guard lock(parts_->mutex);
    const auto metric = parts_->metrics.find(name);
    if (metric == parts_->metrics.end()) return {};
    const auto series = metric->second.recorded.find({labels.begin(), labels.end()});
    return series == metric->second.recorded.end() ? std::vector<double>() : series->second;
}

std::optional<double> FakeHost::metric(std::string_view name,
                                       std::initializer_list<std::string_view> labels) const {
    const std::vector<double> values = recorded(name, labels);
    if (values.empty()) return std::nullopt;
    const std::lock_guard lock(parts_->mutex);
    const bool is_gauge = parts_->metrics.find(name)->second.type == CAPSTAN_METRIC_GAUGE;
    return is_gauge ? values.back() : std::accumulate(values.begin(), values.end(), 0.0);
}

void FakeHost::withhold(std::string service_id) {
    const std::lock_guard lock(parts_->mutex);
    parts_->withheld.insert(std::move(service_id));
}

void FakeHost::overload(std::string service_id, bool is_busy) {
    const std::lock_guard lock(parts_->mutex);
    if (is_busy) {
        parts_->busy.insert(std::move(service_id));
    } else {
        parts_->busy.erase(service_id);
    }
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
