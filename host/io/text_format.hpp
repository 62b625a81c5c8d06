/// Recognizes text files of a wrong format, for messages that say what a file is instead of where
/// its first syntax error is.
#pragma once

#include <string_view>

namespace capstan::io {

/// "the file is empty; ...": a file without content, or with nothing but white space, is often what
/// a failed command has left.
inline constexpr std::string_view empty_file =
    "the file is empty; the command that writes it may have failed";

/// Whether the text has nothing but white space.
bool is_blank(std::string_view text) noexcept;

/// The format of a file that begins like this: "JSON", "TOML", "YAML", "HTML", or "a table of
/// kubectl", which `kubectl get` prints without -o. Empty: not recognized.
std::string_view recognize_format(std::string_view beginning) noexcept;

}  // namespace capstan::io
