#include "process_watch.hpp"

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <capstan/sentence.hpp>

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

}  // namespace

ProcessWatch::ProcessWatch()
    : directory_(working_directory()),
      locale_(std::setlocale(LC_ALL, nullptr)),
      environment_(environment()),
      mask_(file_mask()),
      threads_(thread_count()) {
    for (int i = 1; i < static_cast<int>(handlers_.size()); ++i)
        ::sigaction(i, nullptr, &handlers_[static_cast<std::size_t>(i)]);
}

std::vector<std::string> ProcessWatch::changes() const {
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

Holdings Holdings::now() {
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

StreamTrap::StreamTrap() {
    flush();
    catcher_ = ::memfd_create("trap", MFD_CLOEXEC);
    out_ = ::dup(STDOUT_FILENO);
    err_ = ::dup(STDERR_FILENO);
    is_set_ = catcher_ >= 0 && out_ >= 0 && err_ >= 0 && ::dup2(catcher_, STDOUT_FILENO) >= 0 &&
              ::dup2(catcher_, STDERR_FILENO) >= 0;
}

std::string StreamTrap::release() {
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

StreamTrap::~StreamTrap() {
    if (catcher_ >= 0) release();
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
