/// How the guard speaks: through the log, and past it when the log does not answer.
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

#include "runtime/config/daemon_config.hpp"
#include "runtime/loop/call_watch.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::guard {

// What is said of calls that do not return, while they last.

/// One sentence when a call is first seen as stuck, one at each doubling of its time, and one when
/// its thread is back. Used by one thread.
class HeldCallLog {
public:
    using Line = std::pair<config::LogLevel, std::string>;
    /// `stuck`: all calls that are stuck now. What is to be said of it.
    std::vector<Line> look(const std::vector<loop::HeldCall>& stuck);

private:
    struct Told {
        loop::HeldCall call{};
        Duration next{};  ///< told again once it has lasted so long
    };
    std::map<std::string, Told> told_;  ///< by plugin
};

/// A line is written by a thread of its own, for a log whose reader has gone away holds up each
/// thread that writes. [any thread]
class GuardVoice {
public:
    GuardVoice();
    GuardVoice(const GuardVoice&) = delete;
    GuardVoice& operator=(const GuardVoice&) = delete;
    /// A thread that the log holds up is left to itself.
    ~GuardVoice();

    /// From now on lines go to this log; NULL: straight to standard error.
    void set_log(std::shared_ptr<services::Logger> log);
    /// Does not wait. Where the log has not taken the line before within a second, and without a
    /// log, the line goes straight to standard error.
    void say(config::LogLevel level, std::string line);
    /// Straight to standard error as it was when the process began, and in this call: for a process
    /// that ends. Dropped where its reader takes nothing for a fifth of a second.
    void say_last(const std::string& line);

private:
    struct State;
    std::shared_ptr<State> state_;
    std::thread thread_;
    int last_resort_;  ///< a copy of standard error's descriptor
};

}  // namespace capstan::runtime::guard
