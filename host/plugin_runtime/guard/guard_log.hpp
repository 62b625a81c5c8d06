/// The log lines of the guard: through the log, or straight to standard error if the log blocks.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/daemon_config.hpp"
#include "plugin_runtime/loop/call_watch.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::plugin_runtime::guard {

// Log lines about calls that do not return, while they last.

/// One line when a call is first seen as stuck, one whenever its time has doubled, and one when it
/// has returned. Used by one thread.
class HeldCallLog {
public:
    using Line = std::pair<config::LogLevel, std::string>;
    /// `stuck`: all calls that are stuck now. Returns the lines to write.
    std::vector<Line> look(const std::vector<loop::HeldCall>& stuck);

private:
    struct Report {
        loop::HeldCall call{};
        Duration next{};  ///< the next line is due once the call has lasted so long
    };
    std::map<std::string, Report> reports_;  ///< by plugin
};

/// Writes lines on a thread of its own, because a log whose reader has stopped blocks each thread
/// that writes to it. [any thread]
class GuardLog {
public:
    GuardLog();
    GuardLog(const GuardLog&) = delete;
    GuardLog& operator=(const GuardLog&) = delete;
    /// A thread that the log blocks is detached.
    ~GuardLog();

    /// Lines go to this log from now on. NULL: to standard error.
    void set_log(std::shared_ptr<services::Logger> log);
    /// Does not wait. The line goes straight to standard error if there is no log, if the log has
    /// blocked an earlier line for more than a second, or if too many lines wait.
    void say(config::LogLevel level, std::string line);
    /// Writes the line inside this call, to the standard error of the process's start: for a
    /// process that ends. The line is dropped if the reader takes nothing for a fifth of a second.
    void write_last(const std::string& line);

private:
    struct State;
    std::shared_ptr<State> state_;
    std::thread thread_;
    int last_resort_;  ///< a copy of standard error's descriptor
};

}  // namespace capstan::plugin_runtime::guard
