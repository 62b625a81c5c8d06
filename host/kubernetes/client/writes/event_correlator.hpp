/// Which events are worth telling an API server of, and as what, so that a cluster full of pending
/// pods does not become a flood. client-go's rules, with cluster-autoscaler's figures.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <boost/json/object.hpp>

#include <capstan/time.hpp>

#include "engine/pass_time.hpp"
#include "kubernetes/client/recently_used.hpp"

namespace capstan::kubernetes {

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

}  // namespace capstan::kubernetes
