/// A host for unit tests: all services, in memory, on one thread and a clock that moves when the
/// test says so.
///
///     FakeHost host;
///     host.http().on("GET", "https://api.acme.example/groups", reply(200, R"([{"id":"a"}])"));
///     AcmeCloud cloud(host.host(), settings.view());
///     const Result<CloudView> view = run(host, cloud.refresh());      // run_task.hpp
///
/// Nothing runs by itself: posted functions, timers, blocking work and HTTP replies run inside
/// `run`, `advance`, `step`, `settle` and `stop`, on the thread that calls these, and always in the
/// same order. Services may be used from any thread, as in a real host.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/plugin.h>
#include <capstan/cache.hpp>
#include <capstan/host.hpp>
#include <capstan/labels.hpp>
#include <capstan/testing/fake_http.hpp>
#include <capstan/testing/fake_kube.hpp>
#include <capstan/testing/operation.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

struct FakeHostOptions {
    std::string instance_id = "test";
    std::uint64_t seed = 1;  ///< of capstan.clock/1's randomness
    Time start = Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));
    std::uint16_t abi_minor = CAPSTAN_ABI_MINOR_LATEST;
};

struct LogLine {
    std::int32_t level = CAPSTAN_LOG_INFO;
    std::string message;
    Labels fields{};
    bool operator==(const LogLine&) const = default;
};

/// How often a plugin misused an operation. All but `late_completions` are zero for a correct
/// plugin.
struct Misuse {
    int unknown_operations = 0;  ///< ended an operation that does not exist
    int double_completions = 0;  ///< ended an operation twice
    /// Ended an operation that the host had ended before: harmless, and not the plugin's fault.
    int late_completions = 0;
    int wrong_results = 0;  ///< ended an operation with a result of the wrong type
    int late_errors = 0;    ///< ended an operation, then returned an error from its function
    bool operator==(const Misuse&) const = default;
};

struct FakeParts;

class FakeHost {
public:
    explicit FakeHost(FakeHostOptions options = {});
    /// Calls `stop`, so that coroutines that still wait end.
    ~FakeHost();
    FakeHost(const FakeHost&) = delete;
    FakeHost& operator=(const FakeHost&) = delete;

    // The host for C functions, and the host for C++ classes.
    const capstan_host* handle() const noexcept;
    Host host() const noexcept { return Host(handle()); }

    // Time. `run` and `advance` return false if more than 100,000 functions ran in a row.
    bool run();                 ///< runs all that can run without time passing
    bool advance(Duration by);  ///< the same, and all that is due while `by` passes
    /// Advances time from timer to timer until the operation has ended, at its deadline at the
    /// latest. Returns its result.
    template <class T>
    const Result<T>& settle(const Operation<T>& operation) {
        run();
        while (!operation.is_done() && step()) continue;
        return operation.result();
    }
    /// Advances time to the next timer and runs it. False: no timer is left.
    bool step();
    Duration monotonic() const;
    Time now() const;
    /// Sets the machine's clock forward, or back where `by` is negative: now() steps, and
    /// monotonic() goes on evenly.
    void step_wall(Duration by);

    // Operations.
    template <class T>
    Operation<T> open(Duration allowed = std::chrono::seconds(10)) {
        auto sink = std::make_shared<detail::TypedSink<T>>();
        return {open_raw(detail::Crossing<T>::type, allowed, sink), sink};
    }
    /// Calls a C function of a plugin with a new operation. If the function returns a status other
    /// than CAPSTAN_OK, the operation ends with that status.
    template <class T, class F>
    Operation<T> call(F&& function, Duration allowed = std::chrono::seconds(10)) {
        Operation<T> operation = open<T>(allowed);
        const capstan_status status = function(operation.id());
        if (status != CAPSTAN_OK) returned(operation.id(), status);
        return operation;
    }
    /// Cancels an operation: its on_cancel function is called, then the operation ends as
    /// `cancelled`.
    void cancel(capstan_op op);
    std::size_t open_operations() const;
    Misuse misuse() const;

    /// Stops the instance as a real host does: services refuse new work from now on, `stop` (if
    /// there is one) is called, all outstanding callbacks get `cancelled`, and every other
    /// operation is closed. Returns the result of `stop`.
    Result<void> stop(const capstan_instance* instance = nullptr);
    /// After `stop`: services accept work again, for the next instance.
    void restart();
    /// Drops what it has recorded for the test: HTTP requests and their replies, log lines, values
    /// of metrics, operations that are over.
    void forget();

    // Services.
    FakeHttp& http() noexcept;
    /// The test changes it only while the host does not run.
    FakeKube& kube() noexcept;
    std::map<std::string, std::string, std::less<>>& secrets() noexcept;  ///< granted, by name
    Result<StoredValue> state(std::string_view key) const;                ///< as read_state
    void put_state(std::string key, std::string value);
    /// Granted. The test changes it only while the host does not run.
    std::map<std::string, CachedBlob, std::less<>>& cache() noexcept;
    /// Lines below this level are not kept. CAPSTAN_LOG_TRACE at first.
    void set_log_level(std::int32_t level) noexcept;
    std::vector<LogLine> log_lines() const;
    /// The sum of a counter, the last value of a gauge, the sum of a histogram; absent: nothing was
    /// recorded.
    std::optional<double> metric(std::string_view name,
                                 std::initializer_list<std::string_view> labels = {}) const;
    /// All recorded values, in order.
    std::vector<double> recorded(std::string_view name,
                                 std::initializer_list<std::string_view> labels = {}) const;

    /// The time until the reconcile that the controller has requested, the earliest of several;
    /// drops the requests. Absent: there is no request.
    std::optional<Duration> take_wish();

    /// The reasons of the requests of a cloud for a pass, in order; drops the requests. A real host
    /// makes one pass for several requests.
    std::vector<std::string> take_wakes();

    /// Makes this host one that does not have the service, or does not grant it. To be called
    /// before the plugin gets the host.
    void withhold(std::string service_id);
    /// From now on the service answers CAPSTAN_E_BUSY, or no longer does: capstan.exec/1,
    /// capstan.http/1, capstan.kube/1 or capstan.metrics/1.
    void overload(std::string service_id, bool is_busy = true);

private:
    capstan_op open_raw(std::uint32_t type, Duration allowed,
                        std::shared_ptr<detail::OperationSink> sink);
    void returned(capstan_op op, capstan_status status);

    std::unique_ptr<FakeParts> parts_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
