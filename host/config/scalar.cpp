#include "config/scalar.hpp"

#include <re2/re2.h>

#include "config/text.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::config {
namespace {

WrittenValue written(const TomlValue& value) {
    switch (value.kind) {
        case TomlValue::Kind::string: return std::string_view(value.text);
        case TomlValue::Kind::integer: return value.integer;
        case TomlValue::Kind::floating: return value.number;
        case TomlValue::Kind::boolean: return value.boolean;
        case TomlValue::Kind::date: return WrittenOther{"date " + value.text};
        case TomlValue::Kind::array: return WrittenOther{"an array"};
        case TomlValue::Kind::table: break;
    }
    const TomlValue* name = value.find("secret");
    if (name != nullptr && name->kind == TomlValue::Kind::string && value.children.size() == 1)
        return WrittenSecret{name->text};
    return WrittenOther{"a table"};
}

Result<void> check_regex(const std::string& text) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 compiled(text, options);
    if (compiled.ok()) return {};
    return plugin_runtime::plugin_files::refuse(
        toml_string(shortened(text, 80)) + " is not a regular expression: " + compiled.error());
}

/// For an enumeration: the allowed value that is most similar to the text.
std::string similar_choice(const TomlValue& from, const Field& field) {
    return from.kind == TomlValue::Kind::string ? suggestion(from.text, field.allowed) : "";
}

}  // namespace

Result<SettingValue> read_scalar(const TomlValue& from, const Field& field) {
    Result<ReadSetting> read = read_setting(rule_of(field), written(from));
    if (!read)
        return plugin_runtime::plugin_files::refuse(printable(read.error().message) +
                                                    similar_choice(from, field));
    SettingValue out{.shape = SettingValue::Shape::value,
                     .type = field.type,
                     .place = from.place,
                     .text = std::move(read->text).value_or(""),
                     .integer = read->integer.value_or(0),
                     .number = read->number.value_or(0),
                     .boolean = read->boolean.value_or(false)};
    if (field.type == SettingType::regex) CAPSTAN_CHECK(check_regex(out.text));
    if (field.type == SettingType::instance) out.instance_kind = field.instance_kind;
    return out;
}

bool may_be_secret(const TomlValue& from, const Field& field) {
    return field.type == SettingType::secret ||
           (field.type == SettingType::url && from.text.find('@') != std::string::npos);
}

std::string describe(const TomlValue& value) { return printable(describe_value(written(value))); }

}  // namespace capstan::config
