/// The first bytes of a text that should be JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

#include "kubernetes/item_builder.hpp"

namespace capstan::kubernetes {

/// Passes over a byte order mark, and knows what people hand over instead of UTF-8 text.
class TextStart {
public:
    /// What is left of `text`, the next piece. Fails where the first one is no UTF-8 text.
    Result<std::string_view> take(std::string_view text);

private:
    std::size_t matched_ = 0;  ///< bytes of the mark
    bool is_over_ = false;
};

// What every handler of a JSON parser's events has in common.

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
    /// From within `begin`: the array or object that begins is not read.
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

    std::size_t skipped_ = 0;  ///< how many arrays and objects are open that are not read
    std::string key_parts_;
};

// JSON documents, one after the other, out of text that comes in pieces. For sources alone: the
// parser's own header is heavy.

/// Where in a text we are, as an editor counts.
struct TextPosition {
    std::size_t line = 1, column = 1, byte = 0;

    void pass(std::string_view text) {
        const std::size_t last = text.rfind('\n');
        line += static_cast<std::size_t>(std::ranges::count(text, '\n'));
        column = last == text.npos ? column + text.size() : text.size() - last;
        byte += text.size();
    }
    std::string text() const {
        return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " +
               std::to_string(byte) + ")";
    }
};

/// `Events` handles the parser's events, see ParserEvents.
template <class Events>
class DocumentParser {
public:
    template <class... Arguments>
    explicit DocumentParser(Arguments&&... arguments)
        : parser_(options(), std::forward<Arguments>(arguments)...) {}

    Events& events() { return parser_.handler(); }

    /// Fails where the text is no JSON, with the line and column. The error stays.
    Result<void> write(std::string_view text) {
        if (error_) return fail(*error_);
        const Result<std::string_view> rest = start_.take(text);
        if (!rest) return fail_here(rest.error().message);
        position_.byte += text.size() - rest->size();
        return write_documents(*rest);
    }

    /// Fails where the text ends in the middle of a document, or was empty.
    Result<void> finish() {
        if (error_) return fail(*error_);
        if (!any_document_) return fail_here("is empty");
        if (!in_document_) return {};
        boost::json::error_code code;
        parser_.write_some(false, nullptr, 0, code);
        in_document_ = false;
        return code ? fail_here("ends too early, in the middle of a value") : Result<void>();
    }

private:
    static boost::json::parse_options options() {
        boost::json::parse_options out;
        // Deeper than anything the API serves; the parser calls itself once a level.
        out.max_depth = 256;
        return out;
    }
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    Result<void> fail_here(const std::string& what) {
        error_ = Error{ErrorCode::invalid_argument, position_.text() + ": " + what};
        return fail(*error_);
    }

    Result<void> write_documents(std::string_view text) {
        while (!text.empty()) {
            if (!in_document_) {
                const auto blanks = static_cast<std::size_t>(
                    std::ranges::find_if_not(text, is_space) - text.begin());
                position_.pass(text.substr(0, blanks));
                text.remove_prefix(blanks);
                if (text.empty()) return {};
                parser_.reset();
                in_document_ = any_document_ = true;
            }
            CAPSTAN_TRY(const std::size_t used, parse(text));
            text.remove_prefix(used);
            in_document_ = !parser_.done();
        }
        return {};
    }

    /// How much of the text belongs to the present document.
    Result<std::size_t> parse(std::string_view text) {
        boost::json::error_code code;
        const std::size_t used = parser_.write_some(true, text.data(), text.size(), code);
        position_.pass(text.substr(0, used));
        if (code) {
            const std::string near = in_quotes(text.substr(used, 40));
            CAPSTAN_CHECK(fail_here(code.message() + " at " + near));
        }
        return used;
    }

    boost::json::basic_parser<Events> parser_;
    TextStart start_;
    TextPosition position_;
    bool in_document_ = false;
    bool any_document_ = false;
    std::optional<Error> error_;
};

// API objects out of JSON text that comes in pieces: a list is handed on item by item, and of an
// item only what is read is ever in memory.

/// Receives the objects, in the order of the text.
class ObjectSink {
public:
    virtual ~ObjectSink() = default;
    /// `kind` is what the list says its items are; empty: they say it themselves. `object` is
    /// what stands where an object should, be it one or not, and valid during the call alone.
    virtual void take(std::string_view kind, const boost::json::value& object) = 0;
    /// What the maker of a snapshot says went wrong while it was made.
    virtual void take_error(std::string_view text) = 0;
};

/// [one thread] Understood are, also one after the other in one text:
///   a single object;
///   a list, of a kind such as PodList whose items need not say theirs, or of kind List;
///   an array of either;
///   the debugging snapshot of Cluster Autoscaler: NodeList, whose items have Node and Pods, and
///   UnscheduledPodsCanBeScheduled. Its TemplateNodes are no objects of a cluster and passed over.
class ObjectStream {
public:
    /// Borrows the sink.
    explicit ObjectStream(ObjectSink& sink);
    ObjectStream(const ObjectStream&) = delete;
    ObjectStream& operator=(const ObjectStream&) = delete;
    ~ObjectStream();

    /// Hands on what the text completes. Fails where it is no JSON, with the line and column; what
    /// stood before has been handed on, and nothing after will be: the error stays.
    Result<void> write(std::string_view text);
    /// Fails where the text ends too early, or was empty.
    Result<void> finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Finds the objects among the events of a JSON parser.

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
