/// The callbacks of one instance that the host has accepted and not called yet: posted functions,
/// timers and blocking work, and replies of other services.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <capstan/abi/service_exec.h>

#include "io/loop.hpp"
#include "plugin_runtime/loop/blocking_pool.hpp"
#include "plugin_runtime/loop/plugin_calls.hpp"
#include "plugin_runtime/loop/strand.hpp"

namespace capstan::plugin_runtime::loop {

/// Each accepted callback is called exactly once, on the strand. After `close` the loop is used
/// only for callbacks that were accepted before. [any thread]
class PendingCallbacks : public std::enable_shared_from_this<PendingCallbacks> {
public:
    struct Options {
        std::size_t max_open = 1024;  ///< posted functions, timers and blocking work together
        BlockingPool::Limits blocking;
    };
    PendingCallbacks(io::Loop& loop, std::shared_ptr<Strand> strand,
                     std::shared_ptr<PluginCalls> calls, Options options);

    // Called by the plugin, as abi/service_exec.h says.
    capstan_status post(capstan_task fn, void* user);
    capstan_status after(Duration delay, capstan_task fn, void* user, std::uint64_t* timer);
    capstan_status cancel_timer(std::uint64_t timer);
    using Work = void (*)(void* user) CAPSTAN_NOEXCEPT;
    capstan_status blocking(Work work, capstan_task done, void* user);

    /// What limits the number of accepted callbacks: `max_open`, together with the functions above,
    /// or a limit of the service itself.
    enum class Bound { callbacks, service };
    /// Accepts one callback of another service, which `deliver` calls. CAPSTAN_OK, or why it is
    /// refused.
    capstan_status accept(Bound bound = Bound::callbacks);
    /// Runs `call`, an accepted callback, on the strand as a call into the plugin. An exception
    /// counts as the plugin's and does not leave the call.
    void deliver(std::function<void()> call, Bound bound = Bound::callbacks);
    /// For a delivery that consists of several calls.
    PluginCalls& calls() const noexcept { return *calls_; }

    /// New callbacks are refused with CAPSTAN_E_CANCELLED from now on.
    void close();
    bool is_closed() const;
    /// Calls back, with CAPSTAN_E_CANCELLED, all timers and the blocking work that has no thread
    /// yet.
    void cancel_all();
    /// For an instance with a stuck thread: forgets every accepted callback and never uses the loop
    /// again.
    void abandon();
    /// `then` is called once, when every accepted callback has been called: inside this call if
    /// that is true already. To be called after `close`. [strand]
    void when_empty(std::function<void()> then);
    std::size_t open_count() const;

private:
    struct Timed {
        io::TimerId timer;
        capstan_task fn;
        void* user;
    };
    struct Blocked {
        Work work;
        capstan_task done;
        void* user;
        std::shared_ptr<io::Loop::ExternalWork> external_work;
        bool begun = false;
    };
    using Lock = std::lock_guard<std::mutex>;

    capstan_status accept_locked(Bound bound = Bound::callbacks);
    std::size_t& count_of(Bound bound) {
        return bound == Bound::callbacks ? open_ : open_of_services_;
    }
    void call_later(capstan_task fn, void* user, std::optional<capstan_status> status);
    void fire(std::uint64_t id);
    void work_off(std::uint64_t id);
    void call_back(const Blocked& blocked, capstan_status status);
    void end_one(Bound bound);

    io::Loop& loop_;
    const std::shared_ptr<Strand> strand_;
    const std::shared_ptr<PluginCalls> calls_;
    const Options options_;
    mutable std::mutex mutex_;
    bool closed_ = false;
    std::size_t open_ = 0;
    std::size_t open_of_services_ = 0;  ///< accepted callbacks of Bound::service
    std::uint64_t last_id_ = 0;
    std::map<std::uint64_t, Timed> timed_;
    std::map<std::uint64_t, Blocked> blocked_;
    std::function<void()> then_;
    BlockingPool pool_;
};

}  // namespace capstan::plugin_runtime::loop
