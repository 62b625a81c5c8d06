/// Which events are worth telling an API server of, and as what, so that a cluster full of pending
/// pods does not become a flood. client-go's rules, with cluster-autoscaler's figures.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "engine/pass_time.hpp"
#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"
#include "kubernetes/client/recently_used.hpp"

namespace capstan::kubernetes::client {

/// The object that an event is about.
struct ObjectReference {
    std::string api_version = "v1";
    std::string kind{};
    std::string ns{};  ///< empty: it is in none
    std::string name{};
    std::string uid{};
};

/// Something that operators and users should know of: one line of `kubectl describe`.
struct EventNote {
    ObjectReference about{};
    bool is_warning = false;
    std::string reason{};   ///< "TriggeredScaleUp"
    std::string message{};  ///< cut at 1 KiB
    /// Of few about the cluster as a whole: other messages of the same reason are told, too, and a
    /// part of the budget is theirs alone.
    bool is_distinct = false;
};

/// A write that brings an API server up to date about one Event object.
struct EventWrite {
    std::string key{};
    std::string ns{}, name{};
    boost::json::object event{};  ///< as a whole
    /// What is new since it was written last: as a strategic merge patch.
    boost::json::object patch{};
};

/// One object's events of one reason go at most every five minutes, however often they come; those
/// with the same message are one Event that counts; from the tenth other message in ten minutes on,
/// messages are combined into one Event. Remembers 8192 of each, and forgets the oldest. One thread
/// at a time.
class EventCorrelator {
public:
    struct Options {
        std::string component = "cluster-autoscaler";
        std::string instance{};  ///< which of several; empty: does not matter
        std::size_t limit = 8192;
    };
    explicit EventCorrelator(Options options);

    /// Whether take() would let it through.
    bool is_due(const EventNote& note, Time now);
    /// Nothing: too soon after the last one; it has been counted.
    std::optional<EventWrite> take(const EventNote& note, const engine::PassTime& time);

private:
    struct Similar {
        Time last{};
        std::set<std::string> messages{};
    };
    struct Told {
        std::string name{};
        Time first{};  ///< as the Event says it
        std::int64_t count = 0;
    };
    bool is_combined(const std::string& key, const EventNote& note, Time now);
    static std::string spacing_key(const EventNote& note);
    std::string name_for(const ObjectReference& about, Time wall);
    EventWrite write_of(const EventNote& note, const std::string& message, const Told& told,
                        Time wall) const;

    const Options options_;
    std::int64_t last_name_ = 0;
    RecentlyUsed<Similar> similar_;
    RecentlyUsed<Told> told_;
    RecentlyUsed<std::optional<Time>> let_through_;
};

// Tells an API server of events, as far as it can bear them.

/// No caller waits for an event, and nothing depends on one: what cannot be sent in time is dropped
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

}  // namespace capstan::kubernetes::client
