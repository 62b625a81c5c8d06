#include "config/validated_settings.hpp"

#include <algorithm>
#include <optional>

#include <re2/re2.h>

#include "config/text.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::config {
namespace {

using Shape = SettingValue::Shape;

WrittenValue written_value(const TomlValue& value) {
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

/// Reads a value that is neither list, map nor table, by the rules of capstan/setting_rules.hpp,
/// and compiles a regular expression. The error says what was expected and what was found.
Result<SettingValue> read_scalar(const TomlValue& from, const Field& field) {
    Result<ReadSetting> read = read_setting(rule_of(field), written_value(from));
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

/// Whether a wrong value must not be shown: a value in the place of a secret, or a URL that may
/// have a password. No message of read_scalar quotes such a value.
bool may_be_secret(const TomlValue& from, const Field& field) {
    return field.type == SettingType::secret ||
           (field.type == SettingType::url && from.text.find('@') != std::string::npos);
}

/// Marks the value and all in it as defaults, with the place of the table that lacks the key, which
/// errors about them then name.
void mark_defaulted(SettingValue& value, const Place& place) {
    value.place = place;
    value.key_place = place;
    value.defaulted = true;
    for (SettingValue& child : value.children) mark_defaulted(child, place);
}

/// The valid keys in place of an unknown one: the most similar key, or all keys where they are few.
std::string known_keys(const std::string& wrong, const Fields& fields) {
    constexpr std::size_t keys_max = 24;
    const std::vector<std::string> keys = keys_of(fields);
    std::string similar = suggestion(wrong, keys);
    if (!similar.empty() || keys.empty() || keys.size() > keys_max) return similar;
    return (keys.size() == 1 ? "; the only key is " : "; the keys are ") + joined_names(keys);
}

/// The field of the text that an item of a list can be. NULL: items are tables.
const Field* find_item_text(const Field& list) {
    if (list.type != SettingType::table) return &list;
    const auto member = std::ranges::find(list.fields, list.shorthand, &Field::key);
    return member == list.fields.end() ? nullptr : &*member;
}

/// The items of "priority,least-waste" as a TOML list. Shipped plugins have '_' where upstream's
/// expanders have '-'.
std::string as_list(const std::string& text, bool is_instance) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::string item = text.substr(at, end - at);
        item.erase(0, item.find_first_not_of(' '));
        if (is_instance) std::ranges::replace(item, '-', '_');
        out += (out.empty() ? "" : ", ") + toml_string(item);
        at = end + 1;
    }
    return "[" + out + "]";
}

/// The bounds of "0:2000" or 2000 as a TOML table. Empty: these are no bounds. Upstream counts
/// memory in GiB.
std::string as_bounds(std::string_view text, std::string_view path) {
    const bool is_number = !text.empty() && text.find_first_not_of("0123456789:") == text.npos;
    if (!is_number || std::ranges::count(text, ':') > 1) return {};
    const std::string unit = path == "limits.memory" ? "Gi" : "";
    const std::size_t colon = text.find(':');
    const std::string max = toml_string(std::string(text.substr(colon + 1)) + unit);
    if (colon == text.npos) return "{ max = " + max + " }";
    return "{ min = " + toml_string(std::string(text.substr(0, colon)) + unit) + ", max = " + max +
           " }";
}

/// "nvidia-tesla-t4:0:2" as a TOML table of bounds. Empty: these are no bounds of a GPU type.
std::string as_gpu_bounds(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == text.npos || colon == 0) return {};
    const std::string bounds = as_bounds(text.substr(colon + 1), "");
    return bounds.empty() ? "" : "{ " + toml_key(text.substr(0, colon)) + " = " + bounds + " }";
}

/// "; write ["a", "b"]" for a value in the form of upstream's flag. Empty: it has another form.
std::string rewritten(const TomlValue& from, const Field& field, std::string_view path) {
    const bool is_list = from.kind == TomlValue::Kind::array && from.children.size() == 1;
    const TomlValue& one = is_list ? from.children.front() : from;
    const bool is_text = one.kind == TomlValue::Kind::string;
    const std::string text = is_text                                ? one.text
                             : one.kind == TomlValue::Kind::integer ? std::to_string(one.integer)
                                                                    : "";
    const bool has_bounds = std::ranges::count(field.fields, "min", &Field::key) > 0 &&
                            std::ranges::count(field.fields, "max", &Field::key) > 0;
    std::string out;
    if (field.map && has_bounds) out = as_gpu_bounds(text);
    if (!field.map && !field.list && has_bounds) out = as_bounds(text, path);
    const Field* const item =
        field.list && !field.map && !is_list ? find_item_text(field) : nullptr;
    if (item != nullptr && is_text) out = as_list(text, item->type == SettingType::instance);
    return out.empty() ? "" : "; write " + printable(out);
}

class Validator {
public:
    Validator(Diagnostics& diagnostics, const Hint& hint)
        : diagnostics_(diagnostics), hint_(hint) {}

    SettingValue table(const TomlValue& from, const Fields& fields, const std::string& path) {
        SettingValue out{.place = from.place};
        for (const TomlValue& member : from.children) {
            const auto field = std::ranges::find(fields, member.key, &Field::key);
            if (field == fields.end()) {
                refuse_unknown(member, fields, path);
            } else if (!field->opaque) {
                warn_deprecated(member, *field, path);
                add(out, value(member, *field, join_path(path, member.key)), member.key,
                    member.key_place);
            } else if (member.kind !=
                       (field->list ? TomlValue::Kind::array : TomlValue::Kind::table)) {
                refuse(member, join_path(path, member.key), *field);
            }
        }
        for (const Field& field : fields) {
            if (from.find(field.key) == nullptr) add_default(out, field, path);
        }
        return out;
    }

    std::optional<SettingValue> value(const TomlValue& from, const Field& field,
                                      const std::string& path) {
        if (field.map) return map(from, field, path);
        if (field.list) return list(from, field, path);
        if (field.type == SettingType::table) return nested(from, field, path);
        Result<SettingValue> read = read_scalar(from, field);
        if (read) return std::move(*read);
        if (may_be_secret(from, field)) diagnostics_.hide(from.place);
        diagnostics_.error(from.place, path + ": " + read.error().message);
        return std::nullopt;
    }

private:
    static void add(SettingValue& to, std::optional<SettingValue> value, const std::string& key,
                    Place key_place) {
        if (!value) return;
        value->key = key;
        value->key_place = key_place;
        to.children.push_back(std::move(*value));
    }

    void add_default(SettingValue& to, const Field& field, const std::string& path) {
        if (field.required) {
            const std::string name = path.empty() ? "" : path + ": ";
            diagnostics_.error(to.place,
                               name + "'" + field.key + "' is missing: " + describe_type(field));
        }
        if (field.required || field.default_toml.empty()) return;
        // The default has been checked with the schema, so it is valid here.
        const Result<TomlValue> written = parse_toml_value(field.default_toml);
        std::optional<SettingValue> read;
        if (written) read = value(*written, field, join_path(path, field.key));
        if (!read) return;
        mark_defaulted(*read, to.place);
        add(to, std::move(read), field.key, to.place);
    }

    std::optional<SettingValue> map(const TomlValue& from, const Field& field,
                                    const std::string& path) {
        if (from.kind != TomlValue::Kind::table) return refuse(from, path, field);
        Field item = field;
        item.map = false;
        SettingValue out{.type = field.type, .place = from.place};
        for (const TomlValue& member : from.children) {
            add(out, value(member, item, join_path(path, member.key)), member.key,
                member.key_place);
        }
        return out;
    }

    std::optional<SettingValue> list(const TomlValue& from, const Field& field,
                                     const std::string& path) {
        if (from.kind != TomlValue::Kind::array) return refuse(from, path, field);
        Field item = field;
        item.list = false;
        SettingValue out{.shape = Shape::list, .type = field.type, .place = from.place};
        for (std::size_t i = 0; i < from.children.size(); ++i) {
            add(out, value(from.children[i], item, path + "[" + std::to_string(i) + "]"), "", {});
        }
        return out;
    }

    std::optional<SettingValue> nested(const TomlValue& from, const Field& field,
                                       const std::string& path) {
        if (from.kind == TomlValue::Kind::string && !field.shorthand.empty()) {
            TomlValue member = from;
            member.key = field.shorthand;
            member.key_place = from.place;
            SettingValue out =
                table({.place = from.place, .children = {std::move(member)}}, field.fields, path);
            out.text = from.text;
            return out;
        }
        if (from.kind != TomlValue::Kind::table) return refuse(from, path, field);
        return table(from, field.fields, path);
    }

    std::nullopt_t refuse(const TomlValue& from, const std::string& path, const Field& field) {
        diagnostics_.error(from.place, path + ": expected " + describe_type(field) + ", found " +
                                           printable(describe_value(written_value(from))) +
                                           rewritten(from, field, path));
        return std::nullopt;
    }

    void refuse_unknown(const TomlValue& member, const Fields& fields, const std::string& path) {
        // The search for similar words is slow, and only the first diagnostics are shown.
        const bool shown = diagnostics_.errors() < Diagnostics::shown_max;
        std::string more = hint_ && shown ? hint_(path, member.key) : "";
        if (more.empty() && shown) more = known_keys(member.key, fields);
        const std::string name = path.empty() ? "" : path + ": ";
        diagnostics_.error(member.key_place,
                           name + "unknown key '" + shortened(member.key, 60) + "'" + more);
    }

    void warn_deprecated(const TomlValue& member, const Field& field, const std::string& path) {
        if (!field.deprecated) return;
        const std::string instead =
            field.replaced_by.empty() ? "" : "; use '" + field.replaced_by + "'";
        diagnostics_.warning(member.key_place,
                             join_path(path, field.key) + " is deprecated" + instead);
    }

    Diagnostics& diagnostics_;
    const Hint& hint_;
};

}  // namespace

const SettingValue* SettingValue::find(std::string_view name) const {
    if (shape != Shape::table) return nullptr;
    const auto it = std::ranges::find(children, name, &SettingValue::key);
    return it == children.end() ? nullptr : &*it;
}

SettingValue validate_settings(const TomlValue& table, const Fields& fields, std::string_view path,
                               Diagnostics& diagnostics, const Hint& hint) {
    return Validator(diagnostics, hint).table(table, fields, std::string(path));
}

SettingValue validate_value(const TomlValue& value, const Field& field, std::string_view path,
                            Diagnostics& diagnostics) {
    const Hint no_hint;
    return Validator(diagnostics, no_hint)
        .value(value, field, std::string(path))
        .value_or(SettingValue{});
}

}  // namespace capstan::config
