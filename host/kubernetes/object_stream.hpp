/// Splits JSON text that comes in pieces into API objects, one at a time.
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

/// Skips a byte order mark at the start of a text, and detects UTF-16 and compressed input.
class TextStart {
public:
    /// `text`, the next piece, without the byte order mark. Fails if the text begins like UTF-16
    /// or gzip.
    Result<std::string_view> take(std::string_view text);

private:
    std::size_t matched_ = 0;  ///< bytes of the mark
    bool is_over_ = false;
};

// The base of all handlers of a JSON parser's events.

/// A handler for boost::json::basic_parser that never stops the parser. It joins the parts of a key
/// and suppresses the events of values that are skipped. One handler serves many documents in turn.
/// `Handler` derives from this class and has
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
    bool on_int64(std::int64_t value, Text, Code&) { return pass_scalar(value); }
    bool on_uint64(std::uint64_t value, Text, Code&) { return pass_scalar(value); }
    bool on_double(double value, Text, Code&) { return pass_scalar(value); }
    bool on_bool(bool value, Code&) { return pass_scalar(value); }
    bool on_null(Code&) { return pass_scalar(nullptr); }
    bool on_comment_part(Text, Code&) { return true; }
    bool on_comment(Text, Code&) { return true; }

protected:
    /// Called inside `begin`: no event of the array or object that begins reaches the handler.
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
    bool pass_scalar(const boost::json::value& value) {
        if (skipped_ == 0) handler().scalar(value);
        return true;
    }

    std::size_t skipped_ = 0;  ///< how many skipped arrays and objects are open
    std::string key_parts_;
};

// Parses JSON documents, one after the other, from text that comes in pieces. Public headers should
// not include this one, because the parser's header is heavy.

/// A position in a text, as an editor counts lines and columns.
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

    /// Fails if the text is not JSON; the message has line and column. After a failure each
    /// further call fails with the same error.
    Result<void> write(std::string_view text) {
        if (error_) return fail(*error_);
        const Result<std::string_view> rest = start_.take(text);
        if (!rest) return fail_here(rest.error().message);
        position_.byte += text.size() - rest->size();
        return write_documents(*rest);
    }

    /// Fails if the text ends in the middle of a document, or is empty.
    Result<void> finish() {
        if (error_) return fail(*error_);
        if (!any_document_) return fail_here("is empty");
        if (!in_document_) return {};
        boost::json::error_code code;
        parser_.write_some(false, nullptr, 0, code);
        in_document_ = false;
        return code ? fail_here("is truncated in the middle of a value") : Result<void>();
    }

private:
    static boost::json::parse_options options() {
        boost::json::parse_options out;
        // No object of the API nests that deep. The parser recurses once a level.
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

    /// Parses until the document or the text ends. Returns how many bytes it consumed.
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

// API objects from JSON text that comes in pieces. A list is passed on item by item. Only the kept
// members of one item are in memory at a time.

/// Receives the objects, in the order of the text.
class ObjectSink {
public:
    virtual ~ObjectSink() = default;
    /// `kind` is the kind that the list gives its items; empty: the item has its own kind. `object`
    /// is the value at the place of an object, and may be of another type. Valid during the call.
    virtual void take(std::string_view kind, const boost::json::value& object) = 0;
    /// The member `Error` of a debugging snapshot: what went wrong while it was made.
    virtual void take_error(std::string_view text) = 0;
};

/// [one thread] Accepts these shapes, also several in one text:
///   a single object;
///   a list, of a kind such as PodList, whose items may lack a kind, or of kind List;
///   an array of objects and lists;
///   the debugging snapshot of Cluster Autoscaler: NodeList, whose items have Node and Pods, and
///   UnscheduledPodsCanBeScheduled. Its TemplateNodes are skipped, for they are not objects of a
///   cluster.
class ObjectStream {
public:
    /// Borrows the sink. Members that are not among `kept` are skipped.
    explicit ObjectStream(ObjectSink& sink, const KeptMembers& kept = field_mask());
    ObjectStream(const ObjectStream&) = delete;
    ObjectStream& operator=(const ObjectStream&) = delete;
    ~ObjectStream();

    /// Passes on each object that `text` completes. Fails if the text is not JSON; the message
    /// has line and column. Objects before that place have been passed on. After a failure each
    /// further call fails with the same error.
    Result<void> write(std::string_view text);
    /// Fails if the text is truncated, or is empty.
    Result<void> finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Finds the objects among the events of a JSON parser, in the shapes that ObjectStream lists.
/// An event belongs either to an object, which the ItemBuilder builds, or to one of the levels
/// around objects, which form a stack.
class ObjectEvents : public ParserEvents<ObjectEvents> {
public:
    explicit ObjectEvents(ObjectSink& sink, const KeptMembers& kept = field_mask())
        : sink_(sink), builder_(&kept) {}

private:
    friend class ParserEvents<ObjectEvents>;
    /// An array or object around objects.
    enum class Shape {
        objects,  ///< an array of objects or lists
        entries,  ///< an array of {"Node":..,"Pods":[..]}
        list,     ///< a list or a debugging snapshot
        entry,    ///< one {"Node":..,"Pods":[..]}
    };
    struct Level {
        Shape shape;
        std::string kind{};  ///< of the objects in it; empty: each object has its own kind
    };

    void begin(bool is_array);
    void end();
    void key(std::string_view key);
    void text_part(std::string_view part);
    void text(std::string_view rest);
    void scalar(const boost::json::value& value);

    void begin_outside_item(bool is_array);
    void begin_in_list(bool is_array);
    void begin_in_entry(bool is_array);
    void begin_item(std::string_view kind);
    void enter_list();
    void take_non_object(const boost::json::value& value);
    bool wants_text() const;

    ObjectSink& sink_;
    ItemBuilder builder_;
    std::vector<Level> levels_;  ///< the open ones, the innermost one last
    std::string key_;            ///< the last key outside of items, or at the top of an item
    std::string text_;           ///< the parts so far of a text, if wants_text()
    std::string kind_hint_;      ///< the kind that the list gives to the item being built
    std::string kind_;           ///< the item's own kind; empty: not read yet
};

}  // namespace capstan::kubernetes
