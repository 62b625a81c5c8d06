/// Settings that have been checked against a schema: typed, complete with defaults, each value with
/// its place in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.hpp"
#include "config/document.hpp"
#include "config/schema.hpp"

namespace capstan::config {

/// One value, list or table. The members of a table are in the order of the file, followed by the
/// defaults in the order of the schema.
struct SettingValue {
    enum class Shape { value, list, table };

    Shape shape = Shape::table;
    SettingType type = SettingType::table;  ///< of a list: its items' type
    std::string key{};                      ///< of a table's member
    Place key_place{};
    Place place{};           ///< of a default: the place of the table that lacks the key
    bool defaulted = false;  ///< not in the file
    /// Of a string, URL, regular expression, enumeration, secret or instance; of a duration or
    /// quantity as in the file; of a table that the file has in its shorthand form.
    std::string text{};
    std::int64_t integer = 0;  ///< integer, nanoseconds of a duration, whole units of a quantity
    double number = 0;         ///< number
    bool boolean = false;
    std::string instance_kind{};  ///< of an instance: the kind it has to be of; empty: any
    std::vector<SettingValue> children{};

    /// The member of a table; NULL: there is none.
    const SettingValue* find(std::string_view name) const;
};

/// A hint about an unknown key at `path`, which replaces the suggestion at the end of the message:
/// "; it belongs in [limits]". Empty: no hint.
using Hint = std::function<std::string(std::string_view path, std::string_view key)>;

/// Checks `table` against `fields` and fills in the defaults. `path` names the table in messages. A
/// wrong value is an error in `diagnostics` and is left out of the result. The caller compares
/// `diagnostics.errors()` before and after to know whether there was one.
SettingValue validate_settings(const TomlValue& table, const Fields& fields, std::string_view path,
                               Diagnostics& diagnostics, const Hint& hint = {});

/// Checks one value against `field`.
SettingValue validate_value(const TomlValue& value, const Field& field, std::string_view path,
                            Diagnostics& diagnostics);

}  // namespace capstan::config
