/// Settings that passed a schema: typed, complete with defaults, each value with its place in the
/// file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "runtime/config/schema.hpp"

namespace capstan::runtime::config {

/// One value, list or table. Members of a table stand in the order of the file, then the defaults
/// in the order of the schema.
struct SettingValue {
    enum class Shape { value, list, table };

    Shape shape = Shape::table;
    SettingType type = SettingType::table;  ///< of a list: its items' type
    std::string key{};                      ///< of a table's member
    Place key_place{};
    Place place{};           ///< of a default: the place of the table it is missing in
    bool defaulted = false;  ///< not in the file
    /// String, URL, regular expression, enumeration, secret, instance; durations and quantities as
    /// written; of a table the text it was written as, where its field has a shorthand.
    std::string text{};
    std::int64_t integer = 0;  ///< integer, nanoseconds of a duration, whole units of a quantity
    double number = 0;         ///< number
    bool boolean = false;
    std::string instance_kind{};  ///< of an instance: the kind it has to be of; empty: any
    std::vector<SettingValue> children{};

    /// The member of a table; NULL when there is none.
    const SettingValue* find(std::string_view name) const;
};

/// More about an unknown key at `path`, to put behind the message instead of a suggestion: "; it
/// belongs in [limits]". Empty: nothing.
using Hint = std::function<std::string(std::string_view path, std::string_view key)>;

/// Checks `table` against `fields` and fills in the defaults. `path` names the table in messages.
/// What is wrong is recorded and left out of the answer, so the caller compares
/// `diagnostics.errors()` before and after.
SettingValue validate_settings(const TomlValue& table, const Fields& fields, std::string_view path,
                               Diagnostics& diagnostics, const Hint& hint = {});

/// The same for one value that has to be what `field` says.
SettingValue validate_value(const TomlValue& value, const Field& field, std::string_view path,
                            Diagnostics& diagnostics);

}  // namespace capstan::runtime::config
