/// Untrusted text as one printable line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::io {

/// `text` as one line of valid UTF-8: control characters are escaped ("\n", "\x1b"), bytes that are
/// not UTF-8 are replaced by U+FFFD. If `text` is longer than `limit` bytes, it is cut and the line
/// ends with "...".
std::string printable(std::string_view text, std::size_t limit);

/// `text` with U+FFFD in place of each byte that is not UTF-8.
std::string repaired(std::string_view text);

/// A JSON string with its quotes; `text` is valid UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace capstan::io
