/// Tells an API server of events, as far as it can bear them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include <capstan/error.hpp>

#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"
#include "kubernetes/client/writes/event_correlator.hpp"

namespace capstan::kubernetes {

/// Nobody waits for an event, and nothing depends on one: what cannot be told in time is dropped
/// and counted. Used on the loop's thread alone.
class EventRecorder {
public:
    struct Options {
        EventCorrelator::Options correlator{};
        int per_minute = 300;  ///< written at most; a fifth of it is for distinct notes alone
        std::size_t queue_limit = 1000;
        int tries = 12;
        Duration between_tries = std::chrono::seconds(10);  ///< and up to a quarter more
        std::uint64_t seed = 0;                             ///< of that quarter
        /// An event was dropped because of this; told once until one gets through.
        std::function<void(const Error& error)> on_trouble{};
    };
    /// Since the start.
    struct Counts {
        std::uint64_t told = 0;
        std::uint64_t too_soon = 0;     ///< after one like it, which counts it
        std::uint64_t over_budget = 0;  ///< dropped, as are those below
        std::uint64_t queue_full = 0;
        std::uint64_t refused = 0;   ///< by the server
        std::uint64_t given_up = 0;  ///< after so many tries, or at the end
        bool operator==(const Counts&) const = default;
    };
    /// Borrows both.
    EventRecorder(Api& api, io::Loop& loop, Options options);

    /// Sends nothing inside this call.
    void record(const EventNote& note);
    /// How many notes would be taken now that are not distinct.
    std::size_t room();
    const Counts& counts() const noexcept { return counts_; }
    std::size_t queued() const noexcept { return queue_.size(); }
    /// `done` when all is told, or dropped at the deadline; not inside this call. Nothing is
    /// recorded any more. Once.
    void flush(Duration deadline, std::function<void()> done);

private:
    double budget_for(bool is_distinct);
    bool spend(bool is_distinct);
    void enqueue(EventWrite write);
    void send_first();
    void take(Result<ApiReply> reply, bool was_patch);
    void try_again(const Error& error);
    void drop_first(const Error& error, std::uint64_t& counter);
    void pop();
    void finish();

    const Options options_;
    EventCorrelator correlator_;
    io::RandomSource random_;
    Counts counts_;
    double budget_;
    Duration budget_at_{};
    std::deque<EventWrite> queue_{};  ///< the first is being sent
    RecentlyUsed<bool> exists_;       ///< on the server, by key
    int tries_ = 0;                   ///< of the first
    bool is_sending_ = false;
    bool is_in_trouble_ = false;
    bool is_flushing_ = false;
    std::function<void()> flushed_{};
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes
