/// Finds the objects among the events of a JSON parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "kubernetes/item_builder.hpp"
#include "kubernetes/object_stream.hpp"
#include "kubernetes/parser_events.hpp"

namespace capstan::kubernetes {

/// The shapes it knows are those of ObjectStream.
class ObjectEvents : public ParserEvents<ObjectEvents> {
public:
    explicit ObjectEvents(ObjectSink& sink) : sink_(sink) {}

private:
    friend class ParserEvents<ObjectEvents>;
    /// An array or object around objects.
    enum class Shape {
        objects,  ///< an array of objects or lists
        entries,  ///< an array of {"Node":..,"Pods":[..]}
        list,     ///< a list or a debugging snapshot
        entry,    ///< one {"Node":..,"Pods":[..]}
    };
    struct Around {
        Shape shape;
        std::string kind{};  ///< of the objects in it; empty: they say so
    };

    void begin(bool is_array);
    void end();
    void key(std::string_view key);
    void text_part(std::string_view part);
    void text(std::string_view rest);
    void scalar(const boost::json::value& value);

    void begin_around(bool is_array);
    void begin_in_list(bool is_array);
    void begin_in_entry(bool is_array);
    void begin_item(std::string_view kind);
    void enter_list();
    void take_instead(const boost::json::value& value);
    bool wants_text() const;

    ObjectSink& sink_;
    ItemBuilder builder_;
    std::vector<Around> around_;
    std::string key_;        ///< the last one outside of items, or at the top of one
    std::string text_;       ///< so far, where wants_text()
    std::string kind_hint_;  ///< of the item being built: what its list says
    std::string kind_;       ///< what it says itself
};

}  // namespace capstan::kubernetes
