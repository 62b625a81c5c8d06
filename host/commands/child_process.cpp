#include "commands/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <utility>

#include <capstan/duration.hpp>

#include "io/printable.hpp"
#include "io/process.hpp"

namespace capstan::commands {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t errors_kept = 4096;
constexpr std::size_t lines_mib_max = 4;
constexpr std::size_t lines_max = lines_mib_max << 20;

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(to, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) ::_exit(3);  // the parent has ended, so no process needs the result
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// Confines this process. Sends a line for each part that is not confined, then an empty line.
void enter_confinement(Confinement limits, int lines) {
    limits.kept.push_back(lines);
    for (const std::string& lack : confine(limits)) write_all(lines, lack + '\n');
    write_all(lines, "\n");
}

/// Runs in the child: sets up its descriptors and confinement, then runs `work`.
int confined_work(const std::function<int(const SendLine&)>& work, const ChildLimits& limits,
                  int lines, int errors) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        ::dup2(null, STDIN_FILENO);
        ::dup2(null, STDOUT_FILENO);
    }
    ::dup2(errors, STDERR_FILENO);
    try {
        if (limits.confinement) enter_confinement(*limits.confinement, lines);
        // Set last, since a change of privileges clears it.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        return work([&](std::string_view line) { write_all(lines, std::string(line) + '\n'); });
    } catch (const std::exception& e) {
        write_all(STDERR_FILENO, std::string(e.what()) + '\n');
    }
    return 1;
}

/// Reads both pipes until they end, or until the child exceeds one of its limits.
class Listener {
public:
    Listener(io::Pipe& lines, io::Pipe& errors, const ChildLimits& limits,
             const std::function<void(std::string_view)>& on_line)
        : lines_(lines),
          errors_(errors),
          limits_(limits),
          on_line_(on_line),
          is_confining_(limits.confinement.has_value()) {}

    /// How the child ended; `finished` may still mean a crash, which only the exit status shows.
    ChildEnd::How listen() {
        const Clock::time_point end = Clock::now() + limits_.deadline;
        silent_from_ = Clock::now() + limits_.patience;
        while (lines_.read_end || errors_.read_end) {
            if (lines_bytes_ > lines_max) return ChildEnd::How::flooding;
            const Clock::time_point now = Clock::now();
            if (now >= end) return ChildEnd::How::overdue;
            if (now >= silent_from_) return ChildEnd::How::silent;
            look(std::chrono::ceil<std::chrono::milliseconds>(std::min(end, silent_from_) - now));
        }
        return ChildEnd::How::finished;
    }
    std::vector<std::string> take_lacking() { return std::move(lacking_); }
    std::string take_errors() { return std::move(errors_text_); }

private:
    void look(std::chrono::milliseconds at_most) {
        std::array<pollfd, 2> fds{pollfd{lines_.read_end.get(), POLLIN, 0},
                                  pollfd{errors_.read_end.get(), POLLIN, 0}};
        if (::poll(fds.data(), fds.size(), static_cast<int>(at_most.count())) <= 0) return;
        if (fds[0].revents != 0) read_lines();
        if (fds[1].revents != 0) read_errors();
    }
    static std::size_t read_some(io::FileDescriptor& from, std::string& into) {
        std::array<char, 4096> buffer;
        const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
        if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EINTR)) from.close();
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    void read_lines() {
        lines_bytes_ += read_some(lines_.read_end, pending_);
        std::size_t start = 0;
        for (std::size_t end; (end = pending_.find('\n', start)) != std::string::npos;
             start = end + 1)
            take(std::string_view(pending_).substr(start, end - start));
        pending_.erase(0, start);
    }
    void take(std::string_view line) {
        silent_from_ = Clock::now() + limits_.patience;
        if (!is_confining_) return on_line_(line);
        if (line.empty()) {
            is_confining_ = false;
        } else {
            lacking_.emplace_back(line);
        }
    }
    void read_errors() {
        read_some(errors_.read_end, errors_text_);
        if (errors_text_.size() > errors_kept)
            errors_text_.erase(0, errors_text_.size() - errors_kept);
    }

    io::Pipe& lines_;
    io::Pipe& errors_;
    const ChildLimits& limits_;
    const std::function<void(std::string_view)>& on_line_;
    bool is_confining_;
    Clock::time_point silent_from_{};
    std::size_t lines_bytes_ = 0;
    std::string pending_, errors_text_;
    std::vector<std::string> lacking_;
};

template <class T>
T value_or_throw(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

}  // namespace

std::string ChildEnd::sentence() const {
    const auto time = [this] { return format_duration(std::chrono::milliseconds(code)); };
    switch (how) {
        case How::finished: return io::ExitStatus{.code = code}.sentence();
        case How::crashed: return io::ExitStatus{.signal = code}.sentence();
        case How::silent: return "printed nothing for " + time();
        case How::overdue: return "did not exit within " + time();
        case How::flooding: return "wrote more than " + std::to_string(lines_mib_max) + " MiB";
    }
    return {};
}

std::string ChildEnd::story() const {
    if (errors.empty()) return sentence();
    constexpr std::size_t story_max = 512;
    std::string written;
    for (std::size_t at = 0; at < errors.size();) {
        const std::size_t end = std::min(errors.find('\n', at), errors.size());
        if (end > at) written += (written.empty() ? "" : "; ") + errors.substr(at, end - at);
        at = end + 1;
    }
    return sentence() + "; standard error: " + io::printable(written, story_max);
}

namespace {

/// Reads from the child, kills it if it exceeds its limits, and waits for its end.
ChildEnd follow(pid_t child, io::Pipe& lines, io::Pipe& errors, const ChildLimits& limits,
                const std::function<void(std::string_view)>& on_line) {
    Listener listener(lines, errors, limits, on_line);
    ChildEnd end;
    try {
        end.how = listener.listen();
    } catch (...) {
        ::kill(child, SIGKILL);
        value_or_throw(io::wait_for_exit(child));
        throw;
    }
    if (end.how != ChildEnd::How::finished) ::kill(child, SIGKILL);
    const io::ExitStatus status = value_or_throw(io::wait_for_exit(child));
    if (end.how == ChildEnd::How::finished && status.signal != 0) end.how = ChildEnd::How::crashed;
    switch (end.how) {
        case ChildEnd::How::finished: end.code = status.code; break;
        case ChildEnd::How::crashed: end.code = status.signal; break;
        case ChildEnd::How::silent: end.code = static_cast<int>(limits.patience.count()); break;
        default: end.code = static_cast<int>(limits.deadline.count());
    }
    end.errors = listener.take_errors();
    end.lacking = listener.take_lacking();
    return end;
}

}  // namespace

ChildEnd run_child(const std::function<int(const SendLine&)>& work, const ChildLimits& limits,
                   const std::function<void(std::string_view)>& on_line) {
    io::Pipe lines = value_or_throw(io::make_pipe());
    io::Pipe errors = value_or_throw(io::make_pipe());
    const pid_t child = value_or_throw(io::fork_process([&] {
        return confined_work(work, limits, lines.write_end.get(), errors.write_end.get());
    }));
    lines.write_end.close();
    errors.write_end.close();
    return follow(child, lines, errors, limits, on_line);
}

}  // namespace capstan::commands
