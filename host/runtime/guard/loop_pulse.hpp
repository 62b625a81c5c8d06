/// Whether an event loop still runs what is posted to it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include <boost/asio/io_context.hpp>

#include <capstan/time.hpp>

namespace capstan::runtime::guard {

/// Counts the time that passed between `beat`s while a posted function did not run. A process that
/// was stopped, as by a debugger, is not late: no beat counts for more than two periods. [any
/// thread]
class LoopPulse {
public:
    /// Borrowed until `unwatch`.
    void watch(boost::asio::io_context& io);
    void unwatch();
    /// `passed` since the last beat, which was due after `period`. For how long the loop has not
    /// answered; zero: it has, or none is watched.
    Duration beat(Duration passed, Duration period);

private:
    std::mutex mutex_;
    boost::asio::io_context* io_ = nullptr;
    std::shared_ptr<std::atomic<bool>> has_answered_;  ///< NULL: none is asked
    Duration silent_for_{};
};

}  // namespace capstan::runtime::guard
