#include "plugin_runtime/guard/guard_log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/time_text.hpp>

namespace capstan::plugin_runtime::guard {
namespace {

constexpr std::size_t queued_lines_max = 64;
constexpr auto log_patience = std::chrono::seconds(1);
constexpr int reader_patience_ms = 200;
constexpr std::string_view guard_source = "guard";

/// A descriptor far above those that a plugin that closes "all" descriptors usually closes.
int copy_of_standard_error() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto highest = std::min<rlim_t>(limit.rlim_cur, 65536);
    const int copy = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, static_cast<int>(highest) - 1);
    return copy >= 0 ? copy : STDERR_FILENO;
}

std::string moment_now() { return format_rfc3339(std::chrono::system_clock::now(), 0); }

/// Writes at most as much as a writable pipe takes at once, so that the write does not block.
void write_past_log(int fd, std::string_view line, int patience_ms) {
    constexpr std::size_t pipe_block = 4096;
    std::string text = moment_now() + " error " + std::string(guard_source) + ": ";
    text += line.substr(0, pipe_block - text.size() - 1);
    text += '\n';
    pollfd reader{.fd = fd, .events = POLLOUT, .revents = 0};
    if (::poll(&reader, 1, patience_ms) != 1 || (reader.revents & POLLOUT) == 0) return;
    [[maybe_unused]] const auto written = ::write(fd, text.data(), text.size());
}

}  // namespace

/// Shared with the thread, which a log may block for ever.
struct GuardLog::State {
    struct Line {
        config::LogLevel level;
        std::string text;
    };
    std::mutex mutex;  ///< guards what follows
    std::condition_variable changed;
    std::shared_ptr<services::Logger> log;
    std::deque<Line> queue;
    std::chrono::steady_clock::time_point busy_since{};
    bool is_busy = false;
    bool is_closing = false;

    void serve() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return is_closing || !queue.empty(); });
            if (queue.empty()) return;
            const Line line = std::move(queue.front());
            queue.pop_front();
            const std::shared_ptr<services::Logger> to = log;
            is_busy = true;
            busy_since = std::chrono::steady_clock::now();
            lock.unlock();
            to->write(line.level, guard_source, line.text);
            lock.lock();
            is_busy = false;
            changed.notify_all();
        }
    }
    bool is_held_up() const {
        return is_busy && std::chrono::steady_clock::now() - busy_since > log_patience;
    }
};

GuardLog::GuardLog()
    : state_(std::make_shared<State>()),
      thread_([state = state_] { state->serve(); }),
      last_resort_(copy_of_standard_error()) {}

GuardLog::~GuardLog() {
    bool is_free = false;
    {
        std::unique_lock lock(state_->mutex);
        state_->is_closing = true;
        state_->changed.notify_all();
        is_free = state_->changed.wait_for(
            lock, log_patience, [this] { return !state_->is_busy && state_->queue.empty(); });
    }
    if (is_free) {
        thread_.join();
    } else {
        thread_.detach();
    }
    if (last_resort_ != STDERR_FILENO) ::close(last_resort_);
}

void GuardLog::set_log(std::shared_ptr<services::Logger> log) {
    const std::lock_guard lock(state_->mutex);
    state_->log = std::move(log);
}

void GuardLog::say(config::LogLevel level, std::string line) {
    {
        const std::lock_guard lock(state_->mutex);
        if (state_->log && !state_->is_held_up() && state_->queue.size() < queued_lines_max) {
            state_->queue.push_back({level, std::move(line)});
            state_->changed.notify_all();
            return;
        }
    }
    write_past_log(last_resort_, line, 0);
}

void GuardLog::write_last(const std::string& line) {
    write_past_log(last_resort_, line, reader_patience_ms);
}

namespace {

bool is_same_call(const loop::HeldCall& a, const loop::HeldCall& b) {
    return a.plugin == b.plugin && a.hook == b.hook && a.lasts <= b.lasts;
}

}  // namespace

std::vector<HeldCallLog::Line> HeldCallLog::look(const std::vector<loop::HeldCall>& stuck) {
    std::vector<Line> out;
    std::erase_if(reports_, [&](const auto& entry) {
        const loop::HeldCall& reported = entry.second.call;
        const bool goes_on = std::ranges::any_of(
            stuck, [&](const loop::HeldCall& call) { return is_same_call(reported, call); });
        if (!goes_on)
            out.emplace_back(config::LogLevel::warn, "plugin " + reported.plugin + ": " +
                                                         std::string(loop::name_of(reported.hook)) +
                                                         " returned after more than " +
                                                         format_rough_duration(reported.lasts) +
                                                         "; the plugin is called again");
        return !goes_on;
    });
    for (const loop::HeldCall& call : stuck) {
        Report& report = reports_[call.plugin];
        if (call.lasts >= report.next) {
            out.emplace_back(config::LogLevel::error,
                             call.sentence() + "; the plugin is not called until it returns");
            report.next = 2 * call.lasts;
        }
        report.call = call;
    }
    return out;
}

}  // namespace capstan::plugin_runtime::guard
