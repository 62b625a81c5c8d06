// What an instance must leave as it was: the process is the host's.
#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <capstan/sentence.hpp>

#include "cloud_session.hpp"
#include "hook_requests.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

std::string working_directory() {
    std::error_code ignored;
    return std::filesystem::current_path(ignored).string();
}

mode_t file_mask() noexcept {
    const mode_t mask = ::umask(0);  // it cannot be read without being set
    ::umask(mask);
    return mask;
}

std::string environment() {
    std::string out;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at)
        out.append(*at).push_back('\n');
    return out;
}

std::size_t thread_count() {
    std::error_code failed;
    const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
    return failed ? 0 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

bool same_handler(const struct sigaction& a, const struct sigaction& b) noexcept {
    return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags;
}

void flush() {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
}

/// Notes the state of the process when made; tells what is different when asked.
class ProcessWatch {
public:
    ProcessWatch()
        : directory_(working_directory()),
          locale_(std::setlocale(LC_ALL, nullptr)),
          environment_(environment()),
          mask_(file_mask()),
          threads_(thread_count()) {
        for (int i = 1; i < static_cast<int>(handlers_.size()); ++i)
            ::sigaction(i, nullptr, &handlers_[static_cast<std::size_t>(i)]);
    }

    /// Sentences: "the working directory changed from / to /tmp". Waits up to a second for threads
    /// to end.
    std::vector<std::string> changes() const {
        std::vector<std::string> out;
        if (const std::string now = working_directory(); now != directory_) {
            out.push_back("the working directory changed from " + directory_ + " to " + now);
        }
        if (const std::string now = std::setlocale(LC_ALL, nullptr); now != locale_) {
            out.push_back("the locale changed from " + locale_ + " to " + now);
        }
        if (environment() != environment_) out.emplace_back("the environment changed");
        if (file_mask() != mask_) out.emplace_back("the umask changed");
        for (int i = 1; i < static_cast<int>(handlers_.size()); ++i) {
            struct sigaction now{};
            const bool known = ::sigaction(i, nullptr, &now) == 0;
            if (known && !same_handler(now, handlers_[static_cast<std::size_t>(i)])) {
                out.push_back("the handler of signal " + std::to_string(i) + " changed");
            }
        }
        // A thread that was joined may still be listed for a moment.
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (thread_count() > threads_ && std::chrono::steady_clock::now() < patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (const std::size_t now = thread_count(); now > threads_) {
            out.push_back(counted(static_cast<std::int64_t>(now - threads_), "thread") +
                          " left running");
        }
        return out;
    }

private:
    std::string directory_, locale_, environment_;
    mode_t mask_;
    std::size_t threads_;
    std::array<struct sigaction, 65> handlers_{};
};

/// What the process holds: memory of its allocator, open file descriptors. Both 0: not known here.
struct Holdings {
    std::int64_t bytes = 0;
    std::int64_t descriptors = 0;

    static Holdings now() {
        Holdings out;
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
        const struct mallinfo2 info = ::mallinfo2();
        out.bytes = static_cast<std::int64_t>(info.uordblks + info.hblkhd);
#endif
        std::error_code failed;
        const std::filesystem::directory_iterator descriptors("/proc/self/fd", failed);
        if (!failed) out.descriptors = std::distance(begin(descriptors), end(descriptors));
        return out;
    }
    Holdings operator-(const Holdings& before) const noexcept {
        return {bytes - before.bytes, descriptors - before.descriptors};
    }
};

/// Catches what is written to standard output and error between its making and its end.
class StreamTrap {
public:
    StreamTrap() {
        flush();
        catcher_ = ::memfd_create("trap", MFD_CLOEXEC);
        out_ = ::dup(STDOUT_FILENO);
        err_ = ::dup(STDERR_FILENO);
        is_set_ = catcher_ >= 0 && out_ >= 0 && err_ >= 0 && ::dup2(catcher_, STDOUT_FILENO) >= 0 &&
                  ::dup2(catcher_, STDERR_FILENO) >= 0;
    }
    ~StreamTrap() {
        if (catcher_ >= 0) release();
    }
    StreamTrap(const StreamTrap&) = delete;
    StreamTrap& operator=(const StreamTrap&) = delete;
    /// Lets the streams through again; what was written meanwhile. False `is_set`: there was no
    /// memory for a trap.
    std::string release() {
        flush();
        if (out_ >= 0) ::dup2(out_, STDOUT_FILENO);
        if (err_ >= 0) ::dup2(err_, STDERR_FILENO);
        std::string written;
        if (catcher_ >= 0) {
            std::array<char, 200> head{};
            const ssize_t n = ::pread(catcher_, head.data(), head.size(), 0);
            written.assign(head.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        }
        for (int* fd : {&catcher_, &out_, &err_}) {
            if (*fd >= 0) ::close(*fd);
            *fd = -1;
        }
        return written;
    }
    bool is_set() const noexcept { return is_set_; }

private:
    int catcher_ = -1, out_ = -1, err_ = -1;
    bool is_set_ = false;
};

/// Each call once, on the first group.
void use_cloud(CloudSession& cloud) {
    const Result<CloudView> view = cloud.refresh();
    if (!view || view->groups.empty()) return;
    const NodeGroup& group = view->groups.front();
    if (cloud.session().instance().find<void>(CAPSTAN_INTERFACE_TEMPLATES) != nullptr)
        std::ignore = cloud.describe(group.id.value());
    const Resize resize{.group = group.id,
                        .delta = 1,
                        .expected_target = group.target.value_or(0),
                        .idempotency_key = "life"};
    const Result<Resized> grown = cloud.increase(resize);
    if (grown)
        std::ignore = cloud.decrease_target(
            {.group = group.id, .delta = 1, .expected_target = grown->target});
    std::ignore = cloud.remove({.group = group.id, .machines = {MachineId("no-such-machine")}});
    std::ignore = cloud.refresh();
}

/// A whole life: made, started, asked, stopped, destroyed. What went wrong in it is the business of
/// other checks.
void live(const Subject& subject) {
    const Result<std::unique_ptr<Session>> session = Session::open(subject);
    if (!session || (*session)->table() == nullptr) return;
    if (!(*session)->instance().start()) return;
    for (const HookRequest& hook_request :
         hook_requests(subject.kind(), subject.options.seed, 100)) {
        hook_request.ask((*session)->table(), FakeCall(subject.options.seed));
    }
    if (subject.is(CAPSTAN_KIND_CLOUD)) {
        CloudSession cloud(**session);
        use_cloud(cloud);
    }
    std::ignore = (*session)->instance().stop();
}

Outcome check_untouched(const Subject& subject) {
    const ProcessWatch watch;
    live(subject);
    return judged(watch.changes());
}

Outcome check_silent(const Subject& subject) {
    StreamTrap trap;
    live(subject);
    const bool is_set = trap.is_set();
    const std::string written = trap.release();
    if (!is_set) return not_applicable("the standard streams cannot be redirected here");
    return written.empty() ? passed() : failed("wrote to standard output or error: " + written);
}

constexpr int calls_max = 100;
constexpr auto calls_time = std::chrono::milliseconds(200);
/// Growth that is allowed in an interval: the allocator's overhead, and caches that fill up.
constexpr std::int64_t growth_max = 16 << 10;

/// The calls of one pass.
void ask_once(Session& session, const Subject& subject, const std::vector<HookRequest>& hooks) {
    for (const HookRequest& hook_request : hooks) {
        if (hook_request.form == Form::sound)
            hook_request.ask(session.table(), FakeCall(subject.options.seed));
    }
    if (subject.is(CAPSTAN_KIND_CLOUD)) std::ignore = CloudSession(session).refresh();
    session.host().forget();
}

/// Calls after which neither memory nor descriptors are more than before, beyond what is held once.
Outcome check_steady(const Subject& subject) {
    return with_started(subject, [&](Session& session) {
        const auto hooks = hook_requests(subject.kind(), subject.options.seed, 10);
        if (hooks.empty() && !subject.is(CAPSTAN_KIND_CLOUD))
            return not_applicable("plugins of this kind are not called repeatedly");
        const auto until = std::chrono::steady_clock::now() + calls_time;
        int calls = 0;
        while (calls < calls_max && (calls < 10 || std::chrono::steady_clock::now() < until)) {
            ask_once(session, subject, hooks);
            ++calls;
        }
        const auto ask_again = [&] {
            const Holdings before = Holdings::now();
            for (int i = 0; i < calls; ++i) ask_once(session, subject, hooks);
            return Holdings::now() - before;
        };
        const Holdings first = ask_again(), second = ask_again();
        const std::string after = " after " + counted(calls, "call") +
                                  ", and as many again after the same number of calls";
        if (std::min(first.descriptors, second.descriptors) > 0)
            return failed(counted(second.descriptors, "more file descriptor") + " open" + after);
        if (std::min(first.bytes, second.bytes) > growth_max)
            return failed(std::to_string(second.bytes >> 10) + " KiB more memory in use" + after);
        return passed();
    });
}

}  // namespace

void add_process_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    add(checks, subject, "process/untouched", check_untouched);
    add(checks, subject, "process/silent", check_silent);
    add(checks, subject, "process/steady", check_steady);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
