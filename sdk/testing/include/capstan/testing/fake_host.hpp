/// A host for unit tests: all services, in memory, on one thread and a clock that moves when the
/// test says so.
///
///     FakeHost host;
///     host.http().on("GET", "https://api.acme.example/groups", reply(200, R"([{"id":"a"}])"));
///     AcmeCloud cloud(host.host(), settings.view());
///     const Result<CloudView> view = run(host, cloud.refresh());      // run_task.hpp
///
/// Nothing runs by itself: posted functions, timers, blocking work and HTTP replies have their turn
/// inside run, advance and settle, on the thread that calls them, in an order that is the same
/// every time. Services may be used from any thread, as in a real host.
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

/// What a plugin did with operations that it must not do. All zero in a good test.
struct Misuse {
    int unknown_operations = 0;  ///< ended an operation that never was
    int double_completions = 0;  ///< ended one twice
    int late_completions =
        0;  ///< ended one that the host had given up: harmless, and no fault of the plugin's
    int wrong_results = 0;  ///< ended one with another type of result
    int late_errors = 0;  ///< ended one, and then returned an error from the function that began it
    bool operator==(const Misuse&) const = default;
};

struct FakeParts;

class FakeHost {
public:
    explicit FakeHost(FakeHostOptions options = {});
    /// Stops first, so that coroutines that still wait come to their end.
    ~FakeHost();
    FakeHost(const FakeHost&) = delete;
    FakeHost& operator=(const FakeHost&) = delete;

    /// For C functions and for C++ classes.
    const capstan_host* handle() const noexcept;
    Host host() const noexcept { return Host(handle()); }

    // Time. False from the first two: work posted itself 100,000 times without an end.
    bool run();                 ///< all that can run without time passing
    bool advance(Duration by);  ///< that, and all that is due while `by` passes
    /// Goes from timer to timer until the operation is done; it is by its deadline. Its result.
    template <class T>
    const Result<T>& settle(const Operation<T>& operation) {
        run();
        while (!operation.is_done() && step()) continue;
        return operation.result();
    }
    /// Jumps to the next timer and runs it. False: none is left.
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
    /// Hands an operation to a C function of a plugin and minds what it returns: a status other
    /// than CAPSTAN_OK has ended the operation with that status.
    template <class T, class F>
    Operation<T> call(F&& function, Duration allowed = std::chrono::seconds(10)) {
        Operation<T> operation = open<T>(allowed);
        const capstan_status status = function(operation.id());
        if (status != CAPSTAN_OK) returned(operation.id(), status);
        return operation;
    }
    /// Gives up on an operation: its on_cancel runs, then it ends as `cancelled`.
    void cancel(capstan_op op);
    std::size_t open_operations() const;
    Misuse misuse() const;

    /// Stops the instance as a real host does: from here on services refuse new work, `stop` (if
    /// there is one) gets its operation, all that is outstanding comes back as `cancelled`, every
    /// other operation is closed. The result of `stop`.
    Result<void> stop(const capstan_instance* instance = nullptr);
    /// Lends its services again, to the next instance.
    void restart();
    /// Gives up what it has kept for the test: requests and their replies, log lines, recorded
    /// metrics, operations that are over.
    void forget();

    // Services.
    FakeHttp& http() noexcept;
    /// Changed by the test between two turns of the host, not beside one.
    FakeKube& kube() noexcept;
    std::map<std::string, std::string, std::less<>>& secrets() noexcept;  ///< granted, by name
    Result<StoredValue> state(std::string_view key) const;                ///< as read_state
    void put_state(std::string key, std::string value);
    /// Granted; changed by the test between two turns of the host, not beside one.
    std::map<std::string, CachedBlob, std::less<>>& cache() noexcept;
    /// No line without it being wanted: what is logged below this level is not kept.
    /// CAPSTAN_LOG_TRACE at first.
    void set_log_level(std::int32_t level) noexcept;
    std::vector<LogLine> log_lines() const;
    /// The sum of a counter, the last value of a gauge, the sum of a histogram; nothing if it was
    /// never recorded.
    std::optional<double> metric(std::string_view name,
                                 std::initializer_list<std::string_view> labels = {}) const;
    /// Everything recorded, in order.
    std::vector<double> recorded(std::string_view name,
                                 std::initializer_list<std::string_view> labels = {}) const;

    /// In what time a controller has asked to be called, at the earliest of its requests; forgets
    /// them. Absent: it has not asked.
    std::optional<Duration> take_wish();

    /// Why a cloud has asked for a pass, in order; forgets them. A real host makes one pass of
    /// several.
    std::vector<std::string> take_wakes();

    /// As in a host that has no such service, or does not grant it. Before the plugin meets the
    /// host.
    void withhold(std::string service_id);
    /// From now on capstan.exec/1, capstan.http/1, capstan.kube/1 or capstan.metrics/1 answers
    /// CAPSTAN_E_BUSY.
    void overload(std::string service_id, bool is_busy = true);

private:
    capstan_op open_raw(std::uint32_t type, Duration allowed,
                        std::shared_ptr<detail::OperationSink> sink);
    void returned(capstan_op op, capstan_status status);

    std::unique_ptr<FakeParts> parts_;
};

}  // namespace testing
CAPSTAN_NAMESPACE_END
