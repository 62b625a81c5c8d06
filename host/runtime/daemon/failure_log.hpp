/// Tells the log of what fails again and again: of each trouble once, and then rarely.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "runtime/services/logger.hpp"

namespace capstan::runtime {

/// An API server that is away for an hour fails hundreds of passes for one and the same reason. Two
/// failures of one code are one trouble, for their sentences say how long it lasts, and what has
/// not failed for as long as `quiet` is over, whether anybody said so or not. Moments are of the
/// monotonic clock. [one thread]
class FailureLog {
public:
    /// How long what was told is not told again.
    static constexpr Duration quiet = std::chrono::minutes(5);
    struct Words {
        std::string source{};
        std::string failed{};     ///< before the error: "pass failed"
        std::string succeeded{};  ///< when that is over: "passes succeed again"
        LogLevel level = LogLevel::error;
    };

    /// Borrows the log.
    FailureLog(Logger& log, Words words) : log_(log), words_(std::move(words)) {}

    void failed(const Error& error, Duration now);
    /// Says that it is over, if something was.
    void succeeded(Duration now);
    /// Others do it from now on.
    void forget();

private:
    Logger& log_;
    const Words words_;
    std::optional<Duration> since_{};  ///< the first failure of those in a row
    Duration last_{};
    int count_ = 0;
    std::map<ErrorCode, Duration> told_{};  ///< when last
};

}  // namespace capstan::runtime
