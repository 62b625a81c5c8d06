/// Reads JSON that people wrote, with error messages that show the place; writes JSON.
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

namespace capstan::autoscaler::record {

inline constexpr std::size_t json_bytes_max = std::size_t{256} << 20;
/// Deeper than any Pod, and shallow enough for recursive code.
inline constexpr std::size_t json_depth_max = 128;

/// Reads all of `in`. Fails with `invalid_argument` if it is longer than `limit`.
Result<std::string> read_all(std::istream& in, std::size_t limit = json_bytes_max);

/// Fails with `invalid_argument` if it is not JSON. `name` is the text's name for the message,
/// which shows the place:
///     standard input:2:13: not JSON: syntax error
///         {"id": "a", }
///                     ^
Result<boost::json::value> parse_json(std::string_view text, std::string_view name);

/// Adds a problem for each member of `object` that is not among `known`, because most such members
/// are typing errors.
void refuse_unknown(const kubernetes::JsonCursor& object,
                    std::initializer_list<std::string_view> known);

/// One line for each problem: "standard input: /options/0/nodes: is missing".
std::string problems_text(const kubernetes::JsonProblems& problems, std::string_view name);

/// Writes JSON from left to right into one text, without white space. It adds the commas. The
/// caller has to end each object and array, and to write a key before each value of an object.
class JsonText {
public:
    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    void key(std::string_view key);

    /// Bytes that are no UTF-8 become U+FFFD, because JSON cannot represent them.
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

}  // namespace capstan::autoscaler::record
