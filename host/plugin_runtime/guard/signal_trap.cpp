#include "plugin_runtime/guard/signal_trap.hpp"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace capstan::plugin_runtime::guard {
namespace {

constexpr std::array<int, 4> trapped{SIGTERM, SIGINT, SIGQUIT, SIGHUP};

/// Counts by signal what reached the handler. Signals of a process are as global as this.
std::array<std::atomic<int>, trapped.size()> remembered_signals{};
static_assert(std::atomic<int>::is_always_lock_free);

void remember_signal(int signal) {
    for (std::size_t i = 0; i < trapped.size(); ++i)
        if (trapped[i] == signal) remembered_signals[i].fetch_add(1);
}

sigset_t trapped_set() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : trapped) ::sigaddset(&set, signal);
    return set;
}

void set_handler(int signal, void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

std::optional<int> take_remembered() {
    for (std::size_t i = 0; i < trapped.size(); ++i) {
        int count = remembered_signals[i].load();
        while (count > 0 && !remembered_signals[i].compare_exchange_weak(count, count - 1)) {
        }
        if (count > 0) return trapped[i];
    }
    return std::nullopt;
}

timespec time_spec(Duration d) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(d);
    return {.tv_sec = whole.count(), .tv_nsec = (d - whole).count()};
}

}  // namespace

SignalTrap::SignalTrap() {
    block_here();
    for (const int signal : trapped) set_handler(signal, &remember_signal);
}

SignalTrap::~SignalTrap() {
    for (const int signal : trapped) set_handler(signal, SIG_DFL);
    const sigset_t set = trapped_set();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SignalTrap::block_here() noexcept {
    const sigset_t set = trapped_set();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::optional<int> SignalTrap::wait(Duration patience) const {
    if (const auto signal = take_remembered()) return signal;
    const sigset_t set = trapped_set();
    const timespec limit = time_spec(patience);
    const int taken = ::sigtimedwait(&set, nullptr, &limit);
    return taken > 0 ? std::optional(taken) : take_remembered();
}

std::vector<int> SignalTrap::mend_handlers() const {
    std::vector<int> out;
    for (const int signal : trapped) {
        struct sigaction found{};
        ::sigaction(signal, nullptr, &found);
        if ((found.sa_flags & SA_SIGINFO) == 0 && found.sa_handler == &remember_signal) continue;
        set_handler(signal, &remember_signal);
        out.push_back(signal);
    }
    return out;
}

void SignalTrap::die_of(int signal) {
    set_handler(signal, SIG_DFL);
    const sigset_t set = trapped_set();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(signal);
    std::_Exit(128 + signal);
}

std::string SignalTrap::name_of(int signal) {
    switch (signal) {
        case SIGTERM: return "SIGTERM";
        case SIGINT: return "SIGINT";
        case SIGQUIT: return "SIGQUIT";
        case SIGHUP: return "SIGHUP";
        default: return "signal " + std::to_string(signal);
    }
}

}  // namespace capstan::plugin_runtime::guard
