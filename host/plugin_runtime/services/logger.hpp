/// The log: one line per event on standard error, for people or for machines.
///
///     2026-11-21T08:16:59.123Z warn  aws: refresh took 61 s group=web-b
///     {"time":"2026-11-21T08:16:59.123Z","level":"warn","source":"aws","message":"refresh took 61
///     s","group":"web-b"}
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/daemon_config.hpp"
#include "io/clock.hpp"

namespace capstan::plugin_runtime::services {

/// The fields of a line, next to its message.
using LogPairs = std::vector<std::pair<std::string, std::string>>;

/// Each message becomes one line: control characters are escaped, invalid UTF-8 is repaired,
/// message and fields are cut at 8 KiB. [any thread]
class Logger {
public:
    /// Called with finished lines without their newline; one call at a time.
    using Sink = std::function<void(std::string_view line)>;

    /// Writes to standard error.
    Logger(const config::Log& config, std::shared_ptr<const io::Clock> clock);
    Logger(const config::Log& config, std::shared_ptr<const io::Clock> clock, Sink sink);
    Logger(const Logger&) = delete;
    Logger& operator=(const Logger&) = delete;
    ~Logger();

    /// Whether a line of that level is written. `source` is a plugin instance, which may have a
    /// level of its own in the configuration, or a part of the host.
    bool is_kept(config::LogLevel level, std::string_view source) const;
    void write(config::LogLevel level, std::string_view source, std::string_view message,
               const LogPairs& fields = {});

private:
    std::string line(config::LogLevel level, std::string_view source, std::string_view message,
                     const LogPairs& fields) const;

    struct Output;
    const config::Log config_;
    const std::shared_ptr<const io::Clock> clock_;
    const std::unique_ptr<Output> output_;
};

}  // namespace capstan::plugin_runtime::services
