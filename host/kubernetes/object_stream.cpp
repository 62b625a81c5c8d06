#include "kubernetes/object_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <boost/json/basic_parser_impl.hpp>

#include <capstan/sentence.hpp>

#include "kubernetes/object_events.hpp"
#include "kubernetes/text_start.hpp"

namespace capstan::kubernetes {
namespace {

/// Deeper than anything the API serves; the parser calls itself once a level.
constexpr std::size_t max_depth = 256;

boost::json::parse_options options() {
    boost::json::parse_options out;
    out.max_depth = max_depth;
    return out;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Where in the text we are, as an editor counts.
struct Position {
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

}  // namespace

struct ObjectStream::State {
    explicit State(ObjectSink& sink) : parser(options(), sink) {}

    /// Stays for whatever follows.
    Result<void> fail_here(const std::string& what) {
        error = Error{ErrorCode::invalid_argument, position.text() + ": " + what};
        return fail(*error);
    }
    Result<void> write(std::string_view text);
    Result<std::size_t> parse(std::string_view text);

    boost::json::basic_parser<ObjectEvents> parser;
    TextStart start;
    Position position;
    bool in_document = false;
    bool any_document = false;
    std::optional<Error> error;
};

/// How much of the text belongs to the present document.
Result<std::size_t> ObjectStream::State::parse(std::string_view text) {
    boost::json::error_code code;
    const std::size_t used = parser.write_some(true, text.data(), text.size(), code);
    position.pass(text.substr(0, used));
    if (code) {
        const std::string near = in_quotes(text.substr(used, 40));
        CAPSTAN_CHECK(fail_here(code.message() + " at " + near));
    }
    return used;
}

Result<void> ObjectStream::State::write(std::string_view text) {
    while (!text.empty()) {
        if (!in_document) {
            const std::size_t blanks =
                static_cast<std::size_t>(std::ranges::find_if_not(text, is_space) - text.begin());
            position.pass(text.substr(0, blanks));
            text.remove_prefix(blanks);
            if (text.empty()) return {};
            parser.reset();
            in_document = any_document = true;
        }
        CAPSTAN_TRY(const std::size_t used, parse(text));
        text.remove_prefix(used);
        in_document = !parser.done();
    }
    return {};
}

ObjectStream::ObjectStream(ObjectSink& sink) : state_(std::make_unique<State>(sink)) {}
ObjectStream::~ObjectStream() = default;

Result<void> ObjectStream::write(std::string_view text) {
    if (state_->error) return fail(*state_->error);
    const Result<std::string_view> rest = state_->start.take(text);
    if (!rest) return state_->fail_here(rest.error().message);
    state_->position.byte += text.size() - rest->size();
    return state_->write(*rest);
}

Result<void> ObjectStream::finish() {
    State& state = *state_;
    if (state.error) return fail(*state.error);
    if (!state.any_document) return state.fail_here("is empty");
    if (!state.in_document) return {};
    boost::json::error_code code;
    state.parser.write_some(false, nullptr, 0, code);
    state.in_document = false;
    return code ? state.fail_here("ends too early, in the middle of a value") : Result<void>();
}

}  // namespace capstan::kubernetes
