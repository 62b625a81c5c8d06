/// Text for messages about the configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/validated_settings.hpp"

namespace capstan::config {

/// The characters of `text` in a form that is safe on a terminal: a tab becomes a space, a control
/// character and a byte that is not UTF-8 become '?'. One element per column.
std::vector<std::string> printable_characters(std::string_view text);
/// The printable characters as one text.
std::string printable(std::string_view text);

/// At most `characters` printable characters of `text`; "..." replaces the rest.
std::string shortened(std::string_view text, std::size_t characters);

/// The key as TOML writes it: bare where that is possible, else quoted. `k8s.io/a` -> `"k8s.io/a"`
std::string toml_key(std::string_view key);
/// `text` as a TOML basic string.
std::string toml_string(std::string_view text);
/// "plugin.aws" and "k8s.io/a" -> `plugin.aws."k8s.io/a"`
std::string join_path(std::string_view path, std::string_view key);

/// The one of `words` with the smallest edit distance (insertions, deletions, replacements and
/// swaps of neighbours) to `wrong`; of several, the first. Empty: none is close.
std::string find_similar(std::string_view wrong, const std::vector<std::string>& words);
/// "; did you mean 'region'?", or nothing.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& words);
/// "a, b, c".
std::string joined_names(const std::vector<std::string>& names);

// Values as TOML text.

/// On one line: `"10m"`, `[1, 2]`, `{ secret = "token" }`.
std::string to_toml(const TomlValue& value);
/// The value without its defaults. Of a secret, only its name.
std::string to_toml(const SettingValue& value);
/// The shortest text that reads back as the same number, and as a float: `0.5`, `1.0`.
std::string toml_number(double number);

// A guard in front of the TOML parser, which builds and frees dotted keys without a limit of its
// own: a file that is one key of 200,000 dots would end the process.

/// The limit of levels of one key, and of nested brackets.
inline constexpr int max_nesting = 32;

/// Where `text` first nests deeper than `max_nesting`. Absent: it does not. Skips strings and
/// comments, and is safe on any bytes.
std::optional<Place> find_deep_nesting(std::string_view text);

}  // namespace capstan::config
