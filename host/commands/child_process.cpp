#include "commands/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

namespace capstan::commands {
namespace {

constexpr std::size_t errors_kept = 4096;

struct Pipe {
    int read_end = -1;
    int write_end = -1;
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close(read_end);
        close(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close(int& end) noexcept {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(to, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) ::_exit(3);  // the parent has gone: nobody is interested any more
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

[[noreturn]] void be_the_child(const std::function<int(const SendLine&)>& work, Pipe& lines,
                               Pipe& errors) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        ::dup2(null, STDIN_FILENO);
        ::dup2(null, STDOUT_FILENO);
    }
    ::dup2(errors.write_end, STDERR_FILENO);
    int code = 1;
    try {
        code = work(
            [&](std::string_view line) { write_all(lines.write_end, std::string(line) + '\n'); });
    } catch (const std::exception& e) {
        write_all(STDERR_FILENO, std::string(e.what()) + '\n');
    }
    std::fflush(nullptr);
    ::_exit(code);  // no static destructor may run into a plugin's code
}

/// Reads both pipes until they end, or until nothing has come for too long.
class Listener {
public:
    Listener(Pipe& lines, Pipe& errors, const std::function<void(std::string_view)>& on_line)
        : lines_(lines), errors_(errors), on_line_(on_line) {}

    /// False when the child's patience ran out.
    bool listen(std::chrono::milliseconds patience) {
        while (lines_.read_end >= 0 || errors_.read_end >= 0) {
            std::array<pollfd, 2> fds{pollfd{lines_.read_end, POLLIN, 0},
                                      pollfd{errors_.read_end, POLLIN, 0}};
            const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(patience.count()));
            if (ready < 0 && errno == EINTR) continue;
            if (ready <= 0) return false;
            if (fds[0].revents != 0) read_lines();
            if (fds[1].revents != 0) read_errors();
        }
        return true;
    }
    std::string errors() && { return std::move(errors_text_); }

private:
    static bool read_some(int& from, std::string& into) {
        std::array<char, 4096> buffer;
        const ssize_t n = ::read(from, buffer.data(), buffer.size());
        if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EINTR)) Pipe::close(from);
        return n > 0;
    }
    void read_lines() {
        if (!read_some(lines_.read_end, pending_)) return;
        std::size_t start = 0;
        for (std::size_t end; (end = pending_.find('\n', start)) != std::string::npos;
             start = end + 1) {
            on_line_(std::string_view(pending_).substr(start, end - start));
        }
        pending_.erase(0, start);
    }
    void read_errors() {
        read_some(errors_.read_end, errors_text_);
        if (errors_text_.size() > errors_kept)
            errors_text_.erase(0, errors_text_.size() - errors_kept);
    }
    Pipe& lines_;
    Pipe& errors_;
    const std::function<void(std::string_view)>& on_line_;
    std::string pending_, errors_text_;
};

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
    }
    return status;
}

}  // namespace

std::string ChildEnd::sentence() const {
    switch (how) {
        case How::finished: return "ended with exit code " + std::to_string(code);
        case How::crashed:
            return "was killed by signal " + std::to_string(code) + " (" + ::strsignal(code) + ")";
        case How::timed_out: return "gave no sign of life for " + std::to_string(code) + " ms";
    }
    return {};
}

ChildEnd run_child(const std::function<int(const SendLine&)>& work,
                   std::chrono::milliseconds patience,
                   const std::function<void(std::string_view)>& on_line) {
    Pipe lines;
    Pipe errors;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) be_the_child(work, lines, errors);
    Pipe::close(lines.write_end);
    Pipe::close(errors.write_end);

    Listener listener(lines, errors, on_line);
    const bool in_time = listener.listen(patience);
    if (!in_time) ::kill(child, SIGKILL);
    const int status = wait_for(child);

    ChildEnd end;
    end.errors = std::move(listener).errors();
    if (!in_time) {
        end.how = ChildEnd::How::timed_out;
        end.code = static_cast<int>(patience.count());
    } else if (WIFSIGNALED(status)) {
        end.how = ChildEnd::How::crashed;
        end.code = WTERMSIG(status);
    } else {
        end.code = WEXITSTATUS(status);
    }
    return end;
}

}  // namespace capstan::commands
