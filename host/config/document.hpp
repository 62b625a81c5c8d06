/// A TOML file as a tree of values with their places, in the order of the file.
///
/// Only document.cpp uses toml++, whose tables iterate in key order and whose nodes lose their
/// position when copied. All later steps use this tree, which keeps order and places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::config {

class Diagnostics;

/// Lines and columns count from 1; columns and lengths are in characters, not bytes. Line 0 is the
/// file as a whole, or the value of an option (overrides.hpp).
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 1;
    std::uint32_t option = 0;  ///< which `--set` of the command line, from 1; 0: none

    bool operator==(const Place&) const = default;
};

/// One value. Members of a table carry their key and are in the order of the file.
struct TomlValue {
    enum class Kind { string, integer, floating, boolean, date, array, table };

    Kind kind = Kind::table;
    std::string key{};  ///< of a table's member
    Place key_place{};
    Place place{};
    std::string text{};  ///< of a string or date
    std::int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    std::vector<TomlValue> children{};  ///< items of an array, members of a table

    /// The member of a table; NULL: there is none.
    const TomlValue* find(std::string_view name) const;
};

/// Parses the source of `diagnostics`. Absent: there is a syntax error, which is added to
/// `diagnostics`. Parsing stops at the first syntax error.
std::optional<TomlValue> parse_toml(Diagnostics& diagnostics);

/// Parses one value, as right of a `=`: `"10m"`, `["a"]`, `{ x = 1 }`.
Result<TomlValue> parse_toml_value(std::string_view text);

}  // namespace capstan::config
