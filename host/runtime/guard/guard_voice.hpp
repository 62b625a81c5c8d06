/// How the guard speaks: through the log, and past it when the log does not answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/services/logger.hpp"

namespace capstan::runtime::guard {

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
