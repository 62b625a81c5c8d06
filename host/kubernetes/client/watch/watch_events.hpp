/// Lists and watches as an API server writes them, object by object while they come in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/field_mask.hpp"
#include "kubernetes/item_builder.hpp"
#include "kubernetes/object_stream.hpp"

namespace capstan::kubernetes::client {

/// Receives the objects, in the order of the text. They are valid during the call alone.
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
    explicit WatchReader(WatchSink& sink, const KeptMembers* kept = &field_mask());
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

// Finds the objects of lists and watches among the events of a JSON parser.

/// Of two shapes of documents: {"metadata":{..},"items":[{..},..]} and {"type":"..","object":{..}}.
/// Members may stand in any order.
class WatchEvents : public ParserEvents<WatchEvents> {
public:
    WatchEvents(WatchSink& sink, const KeptMembers* kept) : sink_(sink), builder_(kept) {}

    const PageEnd& page() const noexcept { return page_; }
    bool is_page() const noexcept { return is_page_; }

private:
    friend class ParserEvents<WatchEvents>;
    /// What the next event is part of, unless an object is being built.
    enum class Place : std::uint8_t { outside, document, metadata, items };

    void begin(bool is_array);
    void end();
    void key(std::string_view key);
    void text_part(std::string_view part);
    void text(std::string_view rest);
    void scalar(const boost::json::value& value);

    void begin_member(bool is_array);
    void begin_object();
    void end_object();
    void end_document();
    std::string* wanted_text();

    WatchSink& sink_;
    ItemBuilder builder_;
    Place place_ = Place::outside;
    std::string key_;
    std::string type_;
    bool has_object_ = false;  ///< of an event: the builder holds it
    bool is_page_ = false;
    PageEnd page_;
};

}  // namespace capstan::kubernetes::client
