/// Finds the objects of lists and watches among the events of a JSON parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "kubernetes/client/watch/watch_reader.hpp"
#include "kubernetes/item_builder.hpp"
#include "kubernetes/parser_events.hpp"

namespace capstan::kubernetes {

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

}  // namespace capstan::kubernetes
