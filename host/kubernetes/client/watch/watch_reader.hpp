/// The parser of lists and watches, which passes on each object as soon as it is complete.
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
    /// An item of a list; null if the item is not an object.
    virtual void take_item(const boost::json::value& object) = 0;
    /// An event of a watch: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. `type` is empty and
    /// `object` null if the line is not an event.
    virtual void take_event(std::string_view type, const boost::json::value& object) = 0;
};

/// What a page of a list has besides its items.
struct PageEnd {
    std::string api_version{}, kind{};  ///< "v1", "PodList"
    std::string resource_version{};
    std::string next{};  ///< continue token of the next page; empty: this was the last page
};

/// [one thread] Reads one reply: a page of a list, or the lines of a watch. Has at most one object
/// in memory.
class WatchReader {
public:
    /// Borrows the sink, which must not destroy this reader inside a callback. Members of objects
    /// that are not among `kept` are never built; NULL: all members are kept.
    explicit WatchReader(WatchSink& sink, const KeptMembers* kept = &field_mask());
    WatchReader(const WatchReader&) = delete;
    WatchReader& operator=(const WatchReader&) = delete;
    ~WatchReader();

    /// A piece may have any size. Fails if the text is not JSON, and on each call from then on.
    Result<void> feed(std::string_view piece);
    /// Ends a page of a list. Fails if the text is not a list, has no array of items, or was
    /// truncated.
    Result<PageEnd> finish_page();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Finds the objects of lists and watches among the events of a JSON parser. A list is
/// {"metadata":{..},"items":[{..},..]}, an event is {"type":"..","object":{..}}. Members may come
/// in any order.
class WatchEvents : public ParserEvents<WatchEvents> {
public:
    WatchEvents(WatchSink& sink, const KeptMembers* kept) : sink_(sink), builder_(kept) {}

    const PageEnd& page() const noexcept { return page_; }
    bool has_items() const noexcept { return has_items_; }

private:
    friend class ParserEvents<WatchEvents>;
    /// The place of the next parser event, unless an object is being built.
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
    bool has_object_ = false;  ///< the builder has the whole object of an event
    bool is_page_ = false;     ///< the document has a member `items`
    bool has_items_ = false;   ///< ... that is an array
    PageEnd page_;
};

}  // namespace capstan::kubernetes::client
