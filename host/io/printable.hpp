/// Text from elsewhere, made fit for a line that people read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::io {

/// `text` as one line of valid UTF-8: control characters escaped ("\n", "\x1b"), bytes that are no
/// UTF-8 replaced by U+FFFD. What is longer than `limit` bytes is cut, which "..." says.
std::string printable(std::string_view text, std::size_t limit);

/// `text` with U+FFFD in place of each byte that is no UTF-8.
std::string repaired(std::string_view text);

/// A JSON string with its quotes; `text` is valid UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace capstan::io
