/// Tells the log of what fails again and again: of each trouble once, and then rarely.
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
#include "kubernetes/client/watch/cluster_cache.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

/// An API server that is away for an hour fails hundreds of passes for one and the same reason. Two
/// failures of one code are one trouble, for their sentences say how long it lasts, and an outage
/// without failures for as long as `quiet` is over, whether a success was reported or not. Moments
/// are of the monotonic clock. [one thread]
class FailureLog {
public:
    /// How long what was told is not told again.
    static constexpr Duration quiet = std::chrono::minutes(5);
    struct Words {
        std::string source{};
        std::string failed{};     ///< before the error: "pass failed"
        std::string succeeded{};  ///< when that is over: "passes succeed again"
        config::LogLevel level = config::LogLevel::error;
    };

    /// Borrows the log.
    FailureLog(services::Logger& log, Words words) : log_(log), words_(std::move(words)) {}

    void failed(const Error& error, Duration now);
    /// Says that it is over, if something was.
    void succeeded(Duration now);
    /// Others do it from now on.
    void forget();

private:
    services::Logger& log_;
    const Words words_;
    std::optional<Duration> since_{};  ///< the first failure of those in a row
    Duration last_{};
    int count_ = 0;
    std::map<ErrorCode, Duration> told_{};  ///< when last
};

// Tells the log of watches that are lost: of one outage once, whatever it breaks.

/// An API server that restarts breaks the watch of each kind, and refuses the next ones for reasons
/// of its own: no connection, no rights loaded yet, a version it does not have. All of that is one
/// outage. It begins with the first trouble, is told a second later with the kinds that are out of
/// touch then, and is over when no kind has been for two seconds. Lives on the loop's thread alone.
class WatchOutage {
public:
    /// Between two looks while an outage lasts; the first comes so long after its beginning.
    static constexpr Duration period = std::chrono::seconds(1);
    /// Kinds that are lost later are told together, after so long.
    static constexpr Duration between_lines = std::chrono::seconds(30);
    /// An outage that lasts is told again after so long.
    static constexpr Duration quiet = std::chrono::minutes(5);

    using Look = std::function<std::vector<kubernetes::client::MirrorTrouble>()>;
    /// `look`: what is wrong at this moment. Borrows loop and log.
    WatchOutage(io::Loop& loop, services::Logger& log, Look look);
    WatchOutage(const WatchOutage&) = delete;
    WatchOutage& operator=(const WatchOutage&) = delete;
    ~WatchOutage();

    /// A kind is in trouble. Nothing is told inside this call.
    void begin(const std::string& kind, const Error& error);

private:
    using Troubles = std::vector<kubernetes::client::MirrorTrouble>;
    void look_again();
    void look();
    void tell_left_out(const Troubles& troubles);
    void tell_lost(const Troubles& troubles);
    void end();

    io::Loop& loop_;
    services::Logger& log_;
    const Look look_;
    std::optional<io::TimerId> timer_{};
    std::optional<Duration> since_{};       ///< nothing: there is no outage
    std::optional<Duration> told_at_{};     ///< nothing: it has not been told yet
    std::map<std::string, Error> first_{};  ///< of the outage, by kind
    std::set<std::string> told_{};          ///< kinds, in this outage
    std::set<std::string> left_out_{};      ///< kinds that are told not to be followed at all
    int calm_looks_ = 0;                    ///< in a row, without a kind in trouble
};

}  // namespace capstan::runtime::daemon
