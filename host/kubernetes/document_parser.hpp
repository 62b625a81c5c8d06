/// JSON documents, one after the other, out of text that comes in pieces. For sources alone: the
/// parser's own header is heavy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>

#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

#include "kubernetes/text_start.hpp"

namespace capstan::kubernetes {

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

}  // namespace capstan::kubernetes
