/// Records Events in an API server, without flooding it when thousands of pods are pending.
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

#include "io/clock.hpp"
#include "kubernetes/client/open_calls.hpp"
#include "kubernetes/client/recently_used.hpp"

namespace capstan::kubernetes::client {

/// The object that an event is about.
struct ObjectReference {
    std::string api_version = "v1";
    std::string kind{};
    std::string ns{};  ///< empty: a cluster-scoped object
    std::string name{};
    std::string uid{};
};

/// An event for operators and users: one line of `kubectl describe`.
struct EventNote {
    ObjectReference about{};
    bool is_warning = false;
    std::string reason{};   ///< "TriggeredScaleUp"
    std::string message{};  ///< cut at 1 KiB
    /// One of the few events about the cluster as a whole. Its spacing is by message, not only by
    /// reason, and a part of the budget is reserved for such events.
    bool is_distinct = false;
};

/// A write of one Event object.
struct EventWrite {
    std::string key{};
    std::string ns{}, name{};
    boost::json::object event{};  ///< the whole object, to create the Event
    boost::json::object patch{};  ///< its changed members, as a strategic merge patch
};

/// Decides which events are written, and as which Event objects. Pending pods cause the same few
/// events again in each pass, so most events repeat an older one. Three rules, which are
/// client-go's with cluster-autoscaler's figures, bound the writes:
///   1. Deduplication: events that differ in nothing are one Event object with a count.
///   2. Aggregation: from the tenth different message of one object and reason on, its events are
///      one combined Event, because each message would be an object of its own. More than ten
///      minutes without an event of that object and reason reset the count.
///   3. Spacing: events of one object and reason are written at most every five minutes. The events
///      in between are counted, and the next write has the count.
/// Each rule has a table of 8192 keys, of which the least recently used ones are dropped. One
/// thread at a time.
class EventCorrelator {
public:
    struct Options {
        std::string component = "cluster-autoscaler";
        std::string instance{};  ///< reportingInstance
        std::size_t limit = 8192;
    };
    explicit EventCorrelator(Options options);

    /// Whether the spacing allows a write now, so that take() would return one.
    bool is_due(const EventNote& note, Time now);
    /// Absent: too soon after the last write; the event has been counted. `now`: a steady clock,
    /// for the spacing; `wall`: what the machine's clock shows, for the times of the Event.
    std::optional<EventWrite> take(const EventNote& note, Time now, Time wall);

private:
    /// The messages of one object and reason.
    struct Aggregate {
        Time last{};
        std::set<std::string> messages{};
    };
    /// One Event object.
    struct EventSeries {
        std::string name{};
        Time first{};  ///< firstTimestamp
        std::int64_t count = 0;
    };
    bool is_combined(const std::string& key, const EventNote& note, Time now);
    static std::string spacing_key(const EventNote& note);
    std::string name_for(const ObjectReference& about, Time wall);
    EventWrite write_of(const EventNote& note, const std::string& message,
                        const EventSeries& series, Time wall) const;

    const Options options_;
    std::int64_t last_name_ = 0;  ///< the number at the end of the last name
    RecentlyUsed<Aggregate> aggregates_;
    RecentlyUsed<EventSeries> series_;
    RecentlyUsed<std::optional<Time>> last_written_;  ///< by spacing_key()
};

/// Sends events within a budget. No caller waits for an event, and nothing depends on one: an event
/// that cannot be sent in time is dropped and counted. Used on the loop's thread alone.
class EventRecorder {
public:
    struct Options {
        EventCorrelator::Options correlator{};
        int per_minute = 300;  ///< limit of writes; a fifth is reserved for distinct notes
        std::size_t queue_limit = 1000;
        int tries = 12;
        Duration between_tries = std::chrono::seconds(10);  ///< plus a jitter of up to a quarter
        std::uint64_t seed = 0;                             ///< of the jitter
        /// An event was dropped because of this error. Called once until a write succeeds.
        std::function<void(const Error& error)> on_error{};
    };
    /// Events since the start, by result.
    struct Counts {
        std::uint64_t recorded = 0;
        std::uint64_t too_soon = 0;     ///< not written itself, but counted in a later Event
        std::uint64_t over_budget = 0;  ///< dropped, like the three below
        std::uint64_t queue_full = 0;
        std::uint64_t refused = 0;   ///< by the server
        std::uint64_t given_up = 0;  ///< after all tries, or at the deadline of flush()
        bool operator==(const Counts&) const = default;
    };
    /// Borrows `api` and `loop`.
    EventRecorder(Api& api, io::Loop& loop, Options options);

    /// Sends nothing inside this call.
    void record(const EventNote& note);
    /// How many notes that are not distinct can be recorded now without a drop.
    std::size_t room();
    const Counts& counts() const noexcept { return counts_; }
    std::size_t queued() const noexcept { return queue_.size(); }
    /// Waits for the queue. `done` is called when it is empty, or at the deadline, when the rest is
    /// dropped; not inside this call. record() has no effect afterwards. May be called once.
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
    std::deque<EventWrite> queue_{};  ///< the first write is being sent
    RecentlyUsed<bool> exists_;       ///< keys of Events that exist on the server
    int tries_ = 0;                   ///< of the first write
    bool is_sending_ = false;
    bool is_in_trouble_ = false;
    bool is_flushing_ = false;
    std::function<void()> flushed_{};
    OpenCalls calls_;
};

}  // namespace capstan::kubernetes::client
