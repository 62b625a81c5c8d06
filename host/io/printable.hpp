/// Untrusted text as one printable line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::io {

/// `text` as one line of valid UTF-8: control characters are escaped ("\n", "\x1b"), bytes that are
/// no UTF-8 are replaced by U+FFFD. A line longer than `limit` bytes is cut and ends with "...".
std::string printable(std::string_view text, std::size_t limit);

/// `text` with U+FFFD in place of each byte that is not UTF-8.
std::string repaired(std::string_view text);

/// A JSON string with its quotes; `text` is valid UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace capstan::io
