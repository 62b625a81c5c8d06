/// The schema of a table of the configuration, of the host (daemon_config.hpp, pipeline.hpp,
/// scaling.hpp) or of a plugin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/setting_rules.hpp>
#include <capstan/settings.hpp>

namespace capstan::config {

/// One key of a table: a copy of a plugin's capstan_field, or made from a member of a struct of the
/// host.
struct Field {
    std::string key{};
    SettingType type = SettingType::string;
    bool required = false;
    bool list = false;  ///< an array of `type`
    bool map = false;  ///< a table of free keys with values of `type`; with `list`, of arrays of it
    bool live = false;
    bool deprecated = false;
    std::string doc{};
    /// The value of an absent key, as TOML; empty: the key stays absent. Of a plugin's
    /// field it is absent_value (capstan/setting_rules.hpp).
    std::string default_toml{};
    std::vector<std::string> allowed{};  ///< of an enumeration
    /// Inclusive bounds of a number, of a quantity in whole units, or of a duration in nanoseconds.
    std::optional<double> min{}, max{};
    std::vector<Field> fields{};  ///< of a table
    std::string instance_kind{};  ///< of an instance; empty: any
    std::string replaced_by{};    ///< of a deprecated key

    // Members for the host's own fields alone.
    std::string upstream{};   ///< upstream's default as TOML, if it differs; empty: it is the same
    std::string shorthand{};  ///< of a table: the member that a plain text in its place sets
    bool opaque = false;      ///< a table or list whose content is not checked: a plugin's
                              ///< settings, before its class is known
};
using Fields = std::vector<Field>;

/// Copies a class's untrusted descriptors. check_fields (plugin_file.hpp) checks their shape first,
/// and then each default must pass the rules of its field. The error names the field:
/// `settings.weights: default [1: ...`.
Result<Fields> read_schema(capstan_array fields);

/// What the field says about one value. Borrows from `field`.
SettingRule rule_of(const Field& field);

/// Whether the field is one table with known keys, which has a header of its own in the file.
bool is_section(const Field& field);

/// The keys, in order, for suggestions.
std::vector<std::string> keys_of(const Fields& fields);

/// The type of a field in words: `integer 1..1000`, `list of duration`, `one of "skip", "fail"`.
std::string describe_type(const Field& field);
/// The type of one item of a list or map, in words.
std::string describe_item(const Field& field);

}  // namespace capstan::config
