/// What a FakeHost is made of, and the tables its plugins see.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/abi/services.h>
#include <capstan/testing/fake_host.hpp>

#include "fake_loop.hpp"
#include "fake_operations.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

struct FakeMetric {
    std::int32_t type = 0;
    std::string help;
    std::vector<std::string> label_names;
    std::vector<double> buckets;
    std::map<std::vector<std::string>, std::vector<double>> recorded{};  ///< by label values
};

struct FakeParts {
    explicit FakeParts(FakeHostOptions given)
        : options(std::move(given)), random_state(options.seed) {}

    FakeHostOptions options;
    capstan_host handle{};
    FakeLoop loop;
    FakeOperations operations{loop};

    /// Guards what follows. Never held while a plugin's function runs.
    mutable std::mutex mutex;
    std::uint64_t random_state;
    std::set<std::string, std::less<>> withheld, busy;
    FakeHttp http;
    FakeKube kube;  ///< as the strand: not guarded
    std::set<std::uint64_t> kube_watches;
    std::map<std::string, std::string, std::less<>> secrets;
    std::map<std::string, StoredValue, std::less<>> state;
    std::map<std::string, CachedBlob, std::less<>> cache;
    std::optional<Duration> wish{};  ///< of a reconcile: a point of the loop's time
    std::vector<std::string> wakes{};
    std::int32_t log_level = CAPSTAN_LOG_TRACE;
    std::vector<LogLine> log_lines;
    std::map<std::string, FakeMetric, std::less<>> metrics;
    std::vector<std::string> metric_names;  ///< by id

    Duration wall_ahead{0};  ///< set by step_wall

    Time now() const { return options.start + (loop.now() - FakeLoop::begin) + wall_ahead; }
    bool is_busy(std::string_view service_id) const {
        const std::lock_guard lock(mutex);
        return busy.contains(service_id);
    }
};

inline FakeParts& parts(const capstan_host* host) noexcept {
    return *static_cast<FakeParts*>(host->ctx);
}

// One table each; constant data.
const capstan_cache& fake_cache_table() noexcept;
const capstan_clock& fake_clock_table() noexcept;
const capstan_exec& fake_exec_table() noexcept;
const capstan_http& fake_http_table() noexcept;
const capstan_kube& fake_kube_table() noexcept;
const capstan_log& fake_log_table() noexcept;
const capstan_metrics& fake_metrics_table() noexcept;
const capstan_ops& fake_ops_table() noexcept;
const capstan_reconcile_service& fake_reconcile_table() noexcept;
const capstan_secrets& fake_secrets_table() noexcept;
const capstan_state& fake_state_table() noexcept;
const capstan_wake& fake_wake_table() noexcept;

}  // namespace testing
CAPSTAN_NAMESPACE_END
