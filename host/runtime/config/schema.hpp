/// What may stand in a table of the configuration: of the host (daemon_config.hpp, pipeline.hpp,
/// scaling.hpp) and of a plugin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>
#include <capstan/settings.hpp>

namespace capstan::runtime::config {

/// One key of a table. An owned copy of a plugin's capstan_field, or made from a member of a struct
/// of ours.
struct Field {
    std::string key{};
    SettingType type = SettingType::string;
    bool required = false;
    bool list = false;  ///< an array of `type`
    bool map = false;  ///< a table of free keys with values of `type`; with `list`, of arrays of it
    bool live = false;
    bool deprecated = false;
    std::string doc{};
    std::string default_toml{};          ///< empty: none
    std::vector<std::string> allowed{};  ///< of an enumeration
    /// Inclusive; of numbers, of the whole units of a quantity, of the nanoseconds of a duration.
    std::optional<double> min{}, max{};
    std::vector<Field> fields{};  ///< of a table
    std::string instance_kind{};  ///< of an instance; empty: any
    std::string replaced_by{};    ///< of a deprecated key

    // Ours only; a plugin cannot say these.
    std::string upstream{};   ///< upstream's default as TOML, where it is another; empty: it is not
    std::string shorthand{};  ///< of a table: the member that plain text in its place stands for
    bool opaque = false;      ///< a table, or list, that is not looked into: a plugin's settings,
                              ///< before its class is known
};
using Fields = std::vector<Field>;

/// Copies a class's descriptors, which may be anything: check_fields (plugin_fields.hpp) looks at
/// their shape first, then each default has to pass the rules of its own field. The error names the
/// field: `settings.weights: default [1: ...`.
Result<Fields> read_schema(capstan_array fields);

/// The keys, in order, for suggestions.
std::vector<std::string> keys_of(const Fields& fields);

/// What a value has to be, in words: `integer 1..1000`, `list of durations`, `one of "skip",
/// "fail"`.
std::string describe_type(const Field& field);
/// The same for one item of a list or map.
std::string describe_item(const Field& field);

}  // namespace capstan::runtime::config
