/// JSON that a person typed: what is wrong with it is shown with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <capstan/result.hpp>

#include "kubernetes/json_cursor.hpp"

namespace capstan::runtime::record {

inline constexpr std::size_t json_bytes_max = std::size_t{256} << 20;
/// Deeper than any Pod, shallow enough for everything that recurses.
inline constexpr std::size_t json_depth_max = 128;

/// All of `in`. Fails with `invalid_argument` when there is more than `limit`.
Result<std::string> read_all(std::istream& in, std::size_t limit = json_bytes_max);

/// Fails with `invalid_argument`; the message shows the place in the text, which it calls `name`:
///     standard input:2:14: not JSON: syntax error
///         {"id": "a", }
///                     ^
Result<boost::json::value> parse_json(std::string_view text, std::string_view name);

/// Complains about members of `object` that are not among `known`: most are typing errors.
void refuse_unknown(const kubernetes::JsonCursor& object,
                    std::initializer_list<std::string_view> known);

/// One line for each problem: "standard input: /options/0/nodes: is missing".
std::string problems_text(const kubernetes::JsonProblems& problems, std::string_view name);

// JSON, written from left to right into one text.

/// Puts the commas; that what is begun is ended, and every value of an object has its key, is the
/// caller's part. Without spaces or lines.
class JsonText {
public:
    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    void key(std::string_view key);

    /// Bytes that are no UTF-8 become U+FFFD, for JSON has no way to say them.
    void text(std::string_view text);
    void text_member(std::string_view name, std::string_view value);
    void whole(std::int64_t number);
    void natural(std::uint64_t number);
    void boolean(bool value);
    void null();

    std::string take() { return std::move(out_); }

private:
    void begin(char bracket);
    void end(char bracket);
    void separate();
    void append(std::string_view text);

    std::string out_;
    bool needs_comma_ = false;
};

}  // namespace capstan::runtime::record
