#include "plugin_runtime/loop/guarded_call.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <tuple>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"

namespace capstan::plugin_runtime::loop {

namespace {

constexpr std::size_t message_limit = 4096;
constexpr std::size_t name_limit = 256;

Error internal_error(std::string message) { return {ErrorCode::internal, std::move(message)}; }

/// Bytes of `s`, or nothing where length and pointer contradict each other.
std::string_view sane_text(capstan_str s) noexcept {
    return s.len > static_cast<std::size_t>(PTRDIFF_MAX) ? std::string_view() : text(s);
}

/// Changed in forked children alone, before they have a second thread.
std::atomic<unsigned> forks{0};

void count_fork() { forks.fetch_add(1, std::memory_order_relaxed); }

const int fork_handlers = ::pthread_atfork(nullptr, nullptr, &count_fork);

}  // namespace

unsigned EndOfForkedChild::forks_until_now() noexcept {
    return forks.load(std::memory_order_relaxed);
}

void EndOfForkedChild::end_process() noexcept {
    constexpr std::string_view why =
        "capstan: a plugin has forked, and the child has returned to capstan: the child exits\n";
    std::ignore = ::write(STDERR_FILENO, why.data(), why.size());
    ::_exit(EXIT_FAILURE);
}

Error copy_error(const capstan_error* reported) {
    if (reported == nullptr)
        return internal_error("the plugin reported a failure without an error");
    if (!CAPSTAN_REACHES(reported, capstan_error, retry_after_ms))
        return internal_error("the plugin reported an error whose struct_size is too small");
    if (reported->code == CAPSTAN_OK)
        return internal_error("the plugin reported a failure whose code is CAPSTAN_OK");
    Error out{error_code(reported->code),
              io::printable(io::redacted(std::string(sane_text(reported->message))), message_limit),
              io::printable(sane_text(reported->provider_code), name_limit),
              io::printable(sane_text(reported->subject), name_limit)};
    if (CAPSTAN_REACHES(reported, capstan_error, scope)) out.scope = error_scope(reported->scope);
    constexpr std::int64_t longest = 24 * 3600 * 1000;
    if (reported->retry_after_ms >= 0) {
        out.retry_after = std::chrono::milliseconds(std::min(reported->retry_after_ms, longest));
    }
    return out;
}

Error error_of(capstan_status status, std::string_view what) {
    const ErrorCode code = error_code(status);
    return {code, std::string(what) + " returned " + std::string(name_of(code)) +
                      " without an error message"};
}

}  // namespace capstan::plugin_runtime::loop
