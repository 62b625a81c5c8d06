/// Finds the objects among the events of a JSON parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "kubernetes/item_builder.hpp"
#include "kubernetes/object_stream.hpp"

namespace capstan::kubernetes {

/// A handler for boost::json::basic_parser, of one document after the other; it never stops the
/// parser. The shapes it knows are those of ObjectStream.
class ObjectEvents {
public:
    using Code = boost::json::error_code;
    using Text = boost::json::string_view;
    static constexpr std::size_t max_object_size = boost::json::object::max_size();
    static constexpr std::size_t max_array_size = boost::json::array::max_size();
    static constexpr std::size_t max_key_size = boost::json::string::max_size();
    static constexpr std::size_t max_string_size = boost::json::string::max_size();

    explicit ObjectEvents(ObjectSink& sink) : sink_(sink) {}

    bool on_document_begin(Code&) { return true; }
    bool on_document_end(Code&) { return true; }
    bool on_object_begin(Code&) {
        begin(false);
        return true;
    }
    bool on_object_end(std::size_t, Code&) {
        end();
        return true;
    }
    bool on_array_begin(Code&) {
        begin(true);
        return true;
    }
    bool on_array_end(std::size_t, Code&) {
        end();
        return true;
    }
    bool on_key_part(Text part, std::size_t, Code&) {
        if (skipped_ == 0) key_parts_.append(part.data(), part.size());
        return true;
    }
    bool on_key(Text rest, std::size_t, Code&) {
        if (skipped_ != 0) return true;
        if (key_parts_.empty()) {
            key(rest);
        } else {
            key(key_parts_.append(rest.data(), rest.size()));
            key_parts_.clear();
        }
        return true;
    }
    bool on_string_part(Text part, std::size_t, Code&) {
        if (skipped_ == 0) text_part(part);
        return true;
    }
    bool on_string(Text rest, std::size_t, Code&) {
        if (skipped_ == 0) text(rest);
        return true;
    }
    bool on_number_part(Text, Code&) { return true; }
    bool on_int64(std::int64_t value, Text, Code&) { return scalar(value); }
    bool on_uint64(std::uint64_t value, Text, Code&) { return scalar(value); }
    bool on_double(double value, Text, Code&) { return scalar(value); }
    bool on_bool(bool value, Code&) { return scalar(value); }
    bool on_null(Code&) { return scalar(nullptr); }
    bool on_comment_part(Text, Code&) { return true; }
    bool on_comment(Text, Code&) { return true; }

private:
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
    bool scalar(const boost::json::value& value);

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
    std::size_t skipped_ = 0;  ///< how many arrays and objects are open that nobody reads
    std::string key_parts_;
    std::string key_;        ///< the last one outside of items, or at the top of one
    std::string text_;       ///< so far, where wants_text()
    std::string kind_hint_;  ///< of the item being built: what its list says
    std::string kind_;       ///< what it says itself
};

}  // namespace capstan::kubernetes
