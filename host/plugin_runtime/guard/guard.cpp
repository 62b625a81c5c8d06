#include "plugin_runtime/guard/guard.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <boost/asio/post.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "plugin_runtime/guard/signal_trap.hpp"

namespace capstan::plugin_runtime::guard {
namespace {

/// A loop that has not answered for so long is reported.
constexpr Duration silence_limit = std::chrono::seconds(3);
/// The exit code after a second stop signal.
constexpr int exit_second_signal = 1;

Duration guard_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

bool is_stop(int signal) { return signal != SIGHUP; }

bool is_same_file(int fd, const struct stat& before) {
    struct stat now{};
    return ::fstat(fd, &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino;
}

}  // namespace

Guard::Guard(Options options)
    : options_(std::move(options)),
      canary_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      user_(::geteuid()) {
    ::fstat(canary_, &canary_file_);
    if (options_.takes_signals) signals_.emplace();
    log_.emplace();  // its thread has the signals blocked
    thread_ = std::thread([this] { serve(); });
}

Guard::~Guard() {
    {
        const std::lock_guard lock(mutex_);
        is_closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
    ::close(canary_);
}

void Guard::add_check(Check check) {
    const std::lock_guard lock(mutex_);
    checks_.push_back(std::move(check));
}

void Guard::on_signal(OnSignal on_signal) {
    const std::lock_guard lock(mutex_);
    on_signal_ = std::move(on_signal);
}

void Guard::watch_loop(boost::asio::io_context& io, Duration stuck_after) {
    const std::lock_guard lock(mutex_);
    loop_limit_ = stuck_after;
    pulse_.watch(io);
}

void Guard::unwatch_loop() { pulse_.unwatch(); }

void Guard::watch_calls(std::shared_ptr<const loop::CallWatches> calls) {
    const std::lock_guard lock(mutex_);
    calls_ = std::move(calls);
}

void Guard::set_stage(std::string stage) {
    const std::lock_guard lock(mutex_);
    stage_ = std::move(stage);
}

bool Guard::is_stopping() const {
    const std::lock_guard lock(mutex_);
    return first_signal_.has_value();
}

void Guard::serve() {
    // A signal that reached a handler instead is found a fifth of a period later.
    const Duration nap = options_.period / 5;
    Duration last = guard_time();
    for (;;) {
        if (const auto signal = signals_ ? signals_->wait(nap) : std::nullopt) take(*signal);
        {
            std::unique_lock lock(mutex_);
            if (!signals_ && !is_closing_) changed_.wait_for(lock, nap);
            if (is_closing_) return;
        }
        const Duration now = guard_time();
        if (now - last < options_.period) continue;
        look(pulse_.beat(now - last, options_.period));
        last = now;
    }
}

void Guard::take(int signal) {
    {
        // Called under the lock, so that no call comes after `on_signal` has removed the callback.
        const std::lock_guard lock(mutex_);
        const bool is_second = is_stop(signal) && first_signal_;
        if (is_second && guard_time() - *first_signal_ < same_signal_within) return;
        if (is_stop(signal) && !first_signal_ && on_signal_) first_signal_ = guard_time();
        if (on_signal_ && !is_second) return on_signal_(signal);
    }
    if (is_stopping()) {
        if (!is_stop(signal)) return;
        return end(exit_second_signal, "second stop signal: exiting now" + describe_stuck_calls());
    }
    if (const std::string what = describe_stuck_calls(); !what.empty())
        guard_log().write_last("ended by " + SignalTrap::name_of(signal) + what);
    SignalTrap::die_of(signal);
}

void Guard::look(Duration silent_for) {
    if (signals_) {
        for (const int signal : signals_->mend_handlers())
            guard_log().say(config::LogLevel::warn, "a plugin or library replaced the handler of " +
                                                        SignalTrap::name_of(signal) + "; restored");
    }
    look_at_calls();
    look_at_files();
    look_at_user();
    look_at_checks();
    look_at_loop(silent_for);
    look_at_stop();
}

void Guard::look_at_calls() {
    std::shared_ptr<const loop::CallWatches> calls;
    {
        const std::lock_guard lock(mutex_);
        calls = calls_;
    }
    if (!calls) return;
    for (auto& [level, line] : held_log_.look(calls->stuck()))
        guard_log().say(level, std::move(line));
}

/// Without its descriptors a process neither renews its Lease nor answers a probe.
void Guard::look_at_files() {
    if (canary_ < 0 || is_same_file(canary_, canary_file_)) return;
    end(exit_held_up, "a plugin or library closed file descriptors of capstan: exiting now" +
                          describe_stuck_calls());
}

/// Another user may not be able to write state and logs, or to read credentials.
void Guard::look_at_user() {
    if (::geteuid() == user_) return;
    end(exit_held_up, "a plugin or library changed the user id of capstan from " +
                          std::to_string(user_) + " to " + std::to_string(::geteuid()) +
                          ": exiting now" + describe_stuck_calls());
}

void Guard::look_at_checks() {
    std::vector<Check> checks;
    {
        const std::lock_guard lock(mutex_);
        checks = checks_;
    }
    for (const Check& check : checks)
        if (const auto why = check()) end(exit_held_up, *why);
}

void Guard::look_at_loop(Duration silent_for) {
    if (silent_for == Duration::zero()) {
        if (std::exchange(silence_told_, Duration::zero()) > Duration::zero())
            guard_log().say(config::LogLevel::warn, "the event loop responds again");
        return;
    }
    Duration limit;
    {
        const std::lock_guard lock(mutex_);
        limit = loop_limit_;
    }
    const std::string sentence =
        "the event loop has not responded for " + format_rough_duration(silent_for);
    if (silent_for >= limit) return end(exit_held_up, sentence + describe_stuck_calls());
    if (silent_for < silence_limit || silent_for < 2 * silence_told_) return;
    guard_log().say(config::LogLevel::error, sentence + describe_stuck_calls());
    silence_told_ = silent_for;
}

void Guard::look_at_stop() {
    {
        const std::lock_guard lock(mutex_);
        if (!first_signal_ || guard_time() - *first_signal_ < options_.stop_deadline) return;
    }
    end(exit_held_up, "shutdown did not finish within " +
                          format_rough_duration(options_.stop_deadline) + describe_stuck_calls());
}

std::string Guard::describe_stuck_calls() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    if (calls_)
        for (const loop::HeldCall& call : calls_->held(options_.hang_after))
            out.push_back(call.sentence());
    if (!stage_.empty()) out.push_back(stage_);
    return out.empty() ? "" : "; " + listed(out, [](const std::string& each) { return each; });
}

void Guard::on_end(std::function<void(std::string_view)> on_end) {
    const std::lock_guard lock(mutex_);
    on_end_ = std::move(on_end);
}

void Guard::end(int code, const std::string& why) {
    if (std::exchange(has_ended_, true)) return;
    {
        const std::lock_guard lock(mutex_);
        if (on_end_) on_end_(why);
    }
    if (options_.end) return options_.end(code, why);
    guard_log().write_last(why);
    std::_Exit(code);
}

void LoopPulse::watch(boost::asio::io_context& io) {
    const std::lock_guard lock(mutex_);
    io_ = &io;
    has_answered_.reset();
    silent_for_ = {};
}

void LoopPulse::unwatch() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
    has_answered_.reset();
    silent_for_ = {};
}

Duration LoopPulse::beat(Duration passed, Duration period) {
    const std::lock_guard lock(mutex_);
    if (io_ == nullptr) return {};
    if (has_answered_ && !has_answered_->load()) {
        silent_for_ += std::min(passed, 2 * period);
        return silent_for_;
    }
    silent_for_ = {};
    has_answered_ = std::make_shared<std::atomic<bool>>(false);
    boost::asio::post(*io_, [answer = has_answered_] { answer->store(true); });
    return {};
}

}  // namespace capstan::plugin_runtime::guard
