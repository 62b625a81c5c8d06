/// The functions of one instance that the host has promised to call: posted, timed, blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <capstan/abi/service_exec.h>

#include "io/loop.hpp"
#include "runtime/loop/blocking_pool.hpp"
#include "runtime/loop/plugin_calls.hpp"
#include "runtime/loop/strand.hpp"

namespace capstan::runtime::loop {

/// Every function that was accepted is called exactly once, on the strand. Once closed, it touches
/// the loop only for what was accepted before. [any thread]
class PendingCallbacks : public std::enable_shared_from_this<PendingCallbacks> {
public:
    struct Options {
        std::size_t max_open = 1024;  ///< posted, timed and blocking together
        BlockingPool::Limits blocking;
    };
    PendingCallbacks(io::Loop& loop, std::shared_ptr<Strand> strand,
                     std::shared_ptr<PluginCalls> calls, Options options);

    // What the plugin calls; meanings in abi/service_exec.h.
    capstan_status post(capstan_task fn, void* user);
    capstan_status after(Duration delay, capstan_task fn, void* user, std::uint64_t* timer);
    capstan_status cancel_timer(std::uint64_t timer);
    using Work = void (*)(void* user) CAPSTAN_NOEXCEPT;
    capstan_status blocking(Work work, capstan_task done, void* user);

    /// What limits the promises of another service: `max_open`, with the functions above, or the
    /// service itself.
    enum class Bound { board, service };
    /// One more promise, of another service: CAPSTAN_OK, or why not. Ends with `deliver`.
    capstan_status promise(Bound bound = Bound::board);
    /// Has `call` run on the strand, as a call into the plugin, and the promise kept with it. What
    /// it throws is the plugin's, and ends there.
    void deliver(std::function<void()> call, Bound bound = Bound::board);
    /// For one of several calls inside a delivery.
    PluginCalls& calls() const noexcept { return *calls_; }

    /// From now on everything new is refused with CAPSTAN_E_CANCELLED.
    void close();
    bool is_closed() const;
    /// Calls back what waits for its time or for a thread, with CAPSTAN_E_CANCELLED.
    void cancel_all();
    /// For an instance whose thread does not come back: forgets every promise and never touches the
    /// loop again.
    void abandon();
    /// [strand] Once, when every promise is kept; at once if that is so. After `close`.
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
        std::shared_ptr<io::Loop::Outside> outside;
        bool begun = false;
    };
    using Lock = std::lock_guard<std::mutex>;

    capstan_status promise_locked(Bound bound = Bound::board);
    std::size_t& count_of(Bound bound) { return bound == Bound::board ? open_ : apart_; }
    void call_later(capstan_task fn, void* user, std::optional<capstan_status> status);
    void fire(std::uint64_t id);
    void work_off(std::uint64_t id);
    void call_back(const Blocked& blocked, capstan_status status);
    void kept(Bound bound);

    io::Loop& loop_;
    const std::shared_ptr<Strand> strand_;
    const std::shared_ptr<PluginCalls> calls_;
    const Options options_;
    mutable std::mutex mutex_;
    bool closed_ = false;
    std::size_t open_ = 0;
    std::size_t apart_ = 0;  ///< of services that limit theirs
    std::uint64_t last_id_ = 0;
    std::map<std::uint64_t, Timed> timed_;
    std::map<std::uint64_t, Blocked> blocked_;
    std::function<void()> then_;
    BlockingPool pool_;
};

}  // namespace capstan::runtime::loop
