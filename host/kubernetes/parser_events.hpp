/// What every handler of a JSON parser's events has in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

namespace capstan::kubernetes {

/// A handler for boost::json::basic_parser, of one document after the other; it never stops the
/// parser. Keys come as a whole, and nothing is told of what is skipped. `Handler` derives from
/// this and has
///     void begin(bool is_array); void end(); void key(std::string_view);
///     void text_part(std::string_view); void text(std::string_view rest);
///     void scalar(const boost::json::value&);   // a number, true, false or null
template <class Handler>
class ParserEvents {
public:
    using Code = boost::json::error_code;
    using Text = boost::json::string_view;
    static constexpr std::size_t max_object_size = boost::json::object::max_size();
    static constexpr std::size_t max_array_size = boost::json::array::max_size();
    static constexpr std::size_t max_key_size = boost::json::string::max_size();
    static constexpr std::size_t max_string_size = boost::json::string::max_size();

    bool on_document_begin(Code&) { return true; }
    bool on_document_end(Code&) { return true; }
    bool on_object_begin(Code&) { return begin_value(false); }
    bool on_object_end(std::size_t, Code&) { return end_value(); }
    bool on_array_begin(Code&) { return begin_value(true); }
    bool on_array_end(std::size_t, Code&) { return end_value(); }
    bool on_key_part(Text part, std::size_t, Code&) {
        if (skipped_ == 0) key_parts_.append(part.data(), part.size());
        return true;
    }
    bool on_key(Text rest, std::size_t, Code&) {
        if (skipped_ != 0) return true;
        if (key_parts_.empty()) {
            handler().key(rest);
        } else {
            handler().key(key_parts_.append(rest.data(), rest.size()));
            key_parts_.clear();
        }
        return true;
    }
    bool on_string_part(Text part, std::size_t, Code&) {
        if (skipped_ == 0) handler().text_part(part);
        return true;
    }
    bool on_string(Text rest, std::size_t, Code&) {
        if (skipped_ == 0) handler().text(rest);
        return true;
    }
    bool on_number_part(Text, Code&) { return true; }
    bool on_int64(std::int64_t value, Text, Code&) { return tell(value); }
    bool on_uint64(std::uint64_t value, Text, Code&) { return tell(value); }
    bool on_double(double value, Text, Code&) { return tell(value); }
    bool on_bool(bool value, Code&) { return tell(value); }
    bool on_null(Code&) { return tell(nullptr); }
    bool on_comment_part(Text, Code&) { return true; }
    bool on_comment(Text, Code&) { return true; }

protected:
    /// From within `begin`: nobody reads the array or object that begins.
    void skip() noexcept { skipped_ = 1; }

private:
    friend Handler;
    ParserEvents() = default;

    Handler& handler() noexcept { return static_cast<Handler&>(*this); }
    bool begin_value(bool is_array) {
        if (skipped_ != 0) {
            ++skipped_;
        } else {
            handler().begin(is_array);
        }
        return true;
    }
    bool end_value() {
        if (skipped_ != 0) {
            --skipped_;
        } else {
            handler().end();
        }
        return true;
    }
    bool tell(const boost::json::value& value) {
        if (skipped_ == 0) handler().scalar(value);
        return true;
    }

    std::size_t skipped_ = 0;  ///< how many arrays and objects are open that nobody reads
    std::string key_parts_;
};

}  // namespace capstan::kubernetes
