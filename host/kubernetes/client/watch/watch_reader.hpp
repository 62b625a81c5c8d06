/// Lists and watches as an API server writes them, object by object while they come in.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/kept_members.hpp"

namespace capstan::kubernetes {

/// Who gets the objects, in the order of the text. They are valid during the call alone.
class WatchSink {
public:
    virtual ~WatchSink() = default;
    /// One of a list; null where it is no object.
    virtual void take_item(const boost::json::value& object) = 0;
    /// What a watch tells: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. `type` is empty and
    /// `object` null where a line says no such thing.
    virtual void take_event(std::string_view type, const boost::json::value& object) = 0;
};

/// What a page of a list says of the list.
struct PageEnd {
    std::string resource_version{};
    std::string next{};  ///< token of the page that follows; empty: this was the last
};

/// [one thread] Reads one reply: a page of a list, or the lines of a watch. Never has more than one
/// object in memory.
class WatchReader {
public:
    /// Borrows the sink, which must not end this reader while it is told something. Members of
    /// objects that are not among `kept` are never built; NULL: all are kept.
    explicit WatchReader(WatchSink& sink, const KeptMembers* kept = &kept_members());
    WatchReader(const WatchReader&) = delete;
    WatchReader& operator=(const WatchReader&) = delete;
    ~WatchReader();

    /// A piece of any size. Fails where the text is no JSON, and from then on.
    Result<void> feed(std::string_view piece);
    /// The end of a page. Fails where the text is none, or ended too early.
    Result<PageEnd> finish_page();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace capstan::kubernetes
