/// Values fitted to a schema, flattened so that a cursor is an index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/abi/settings.h>
#include <capstan/setting_rules.hpp>
#include <capstan/testing/setting_value.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// One place in the settings.
struct SettingNode {
    std::string path;
    ReadSetting value{};     ///< of a list or table: nothing
    bool is_secret = false;  ///< `value.text` is the name of a secret
    std::vector<std::pair<std::string, capstan_cursor>> children{};  ///< keys are empty in a list
};

/// nodes[cursor]; nodes[0] is unused.
using SettingNodes = std::vector<SettingNode>;

/// `values` with the defaults of `fields`, or as they are without a schema. The error names the
/// key.
Result<SettingNodes> fit_settings(const Value::Table& values, std::optional<capstan_array> fields);

/// One value of a field on its own: type, bounds, allowed values.
Result<void> fit_value(const Value& value, const capstan_field& field);

}  // namespace testing
CAPSTAN_NAMESPACE_END
