/// Logs repeated failures: each once, then rarely.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "io/loop.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// An API server that is down for an hour fails hundreds of passes for one reason. Failures in a
/// row are one problem. Each error code is logged once, and again after `quiet`; messages are not
/// compared, because they contain times. A problem is over when nothing has failed for `quiet`,
/// even if no success was reported. Times are of the monotonic clock. [one thread]
class FailureLog {
public:
    static constexpr Duration quiet = std::chrono::minutes(5);
    struct Words {
        std::string source{};
        std::string failed{};     ///< before the error: "pass failed"
        std::string succeeded{};  ///< at the end: "passes succeed again"
        config::LogLevel level = config::LogLevel::error;
    };

    /// Borrows the log.
    FailureLog(plugin_runtime::services::Logger& log, Words words)
        : log_(log), words_(std::move(words)) {}

    void failed(const Error& error, Duration now);
    /// Logs the end of the problem, if there was one.
    void succeeded(Duration now);
    /// A new term of leadership begins: forgets the problem without a log line.
    void forget();

private:
    plugin_runtime::services::Logger& log_;
    const Words words_;
    std::optional<Duration> since_{};  ///< the first failure of those in a row
    Duration last_{};
    int count_ = 0;
    std::map<ErrorCode, Duration> logged_{};  ///< by code, the time of the last line
};

// Lost watches: one outage is logged once, whatever it breaks.

/// The kinds, grouped by the code of their errors: "Node, Pod: no connection; Service: ...".
std::string kinds_by_error(const std::vector<kubernetes::client::WatchFailure>& failures);

/// An API server that restarts breaks the watch of each kind, and refuses new watches for various
/// reasons: no connection, RBAC rules not loaded yet, a version that it does not serve. All of
/// these are one outage. It begins with the first failure, is logged a second later with the kinds
/// that fail then, and is over when two checks in a row have found no failure. An optional kind
/// that the server lacks or forbids is logged once and is not an outage. Used on the loop's thread
/// alone.
class WatchOutage {
public:
    /// Between two checks during an outage, and between its beginning and the first check.
    static constexpr Duration period = std::chrono::seconds(1);
    /// The least time between the last log line and one with kinds that fail since then.
    static constexpr Duration between_lines = std::chrono::seconds(30);
    /// An outage that lasts is logged again after this time.
    static constexpr Duration quiet = std::chrono::minutes(5);

    using Look = std::function<std::vector<kubernetes::client::WatchFailure>()>;
    /// `look` returns the present failures. Borrows `loop` and `log`.
    WatchOutage(io::Loop& loop, plugin_runtime::services::Logger& log, Look look);
    WatchOutage(const WatchOutage&) = delete;
    WatchOutage& operator=(const WatchOutage&) = delete;
    ~WatchOutage();

    /// A watch has failed. Nothing is logged inside this call.
    void begin(const std::string& kind, const Error& error);

private:
    using WatchFailures = std::vector<kubernetes::client::WatchFailure>;
    void look_again();
    void look();
    void log_unavailable(const WatchFailures& failures);
    /// `since`: the beginning of the outage.
    void log_lost(const WatchFailures& failures, Duration since);
    void end(Duration since);

    io::Loop& loop_;
    plugin_runtime::services::Logger& log_;
    const Look look_;
    std::optional<io::TimerId> timer_{};
    std::optional<Duration> since_{};            ///< absent: there is no outage
    std::optional<Duration> logged_at_{};        ///< absent: it has not been logged yet
    std::map<std::string, Error> first_{};       ///< the first error of each kind in this outage
    std::set<std::string> logged_{};             ///< kinds that were logged in this outage
    std::set<std::string> unavailable_kinds_{};  ///< kinds that were logged as not watched
    int calm_looks_ = 0;                         ///< checks in a row that found no failure
};

}  // namespace capstan::autoscaler::daemon
