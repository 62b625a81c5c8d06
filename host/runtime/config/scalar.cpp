#include "runtime/config/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <re2/re2.h>
#include <boost/url/parse.hpp>
#include <boost/url/scheme.hpp>
#include <boost/url/url_view.hpp>
#include <capstan/duration.hpp>
#include <capstan/quantity.hpp>

#include "runtime/config/secret_name.hpp"
#include "runtime/config/text.hpp"
#include "runtime/plugin_files/refuse.hpp"

namespace capstan::runtime::config {
namespace {

Unexpected refuse_value(const TomlValue& from, const Field& field) {
    return plugin_files::refuse("expected " + describe_item(field) + ", found " + describe(from));
}

/// long double represents each int64 exactly, so the comparison has no rounding error.
bool is_within(const Field& field, long double value) {
    return (!field.min || value >= *field.min) && (!field.max || value <= *field.max);
}

Result<void> read_integer(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::integer || !is_within(field, from.integer))
        return refuse_value(from, field);
    out.integer = from.integer;
    return {};
}

Result<void> read_number(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::integer && from.kind != TomlValue::Kind::floating)
        return refuse_value(from, field);
    out.number =
        from.kind == TomlValue::Kind::integer ? static_cast<double>(from.integer) : from.number;
    // inf and nan are valid TOML, but no setting accepts them.
    if (!std::isfinite(out.number) || !is_within(field, out.number))
        return refuse_value(from, field);
    return {};
}

Result<void> read_boolean(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::boolean) return refuse_value(from, field);
    out.boolean = from.boolean;
    return {};
}

Result<void> read_duration(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::string) return refuse_value(from, field);
    const Result<Duration> duration = parse_duration(from.text);
    if (!duration) return plugin_files::refuse(shortened(duration.error().message, 200));
    if (!is_within(field, duration->count())) return refuse_value(from, field);
    out.text = from.text;
    out.integer = duration->count();
    return {};
}

Result<void> read_quantity(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::string && from.kind != TomlValue::Kind::integer)
        return refuse_value(from, field);
    out.text = from.kind == TomlValue::Kind::integer ? std::to_string(from.integer) : from.text;
    const Result<Quantity> quantity = parse_quantity(out.text);
    if (!quantity) return plugin_files::refuse(shortened(quantity.error().message, 200));
    out.integer = quantity->value();
    if (!is_within(field, out.integer)) return refuse_value(from, field);
    return {};
}

/// Refuses a URL with credentials: they belong in a secret, because `config print` shows the URL.
Result<void> check_url(const TomlValue& from, const Field& field) {
    const auto url = boost::urls::parse_uri(from.text);
    if (url && url->has_userinfo()) {
        return plugin_files::refuse("a URL with a user or password; use a secret for them");
    }
    if (url &&
        (url->scheme_id() == boost::urls::scheme::http ||
         url->scheme_id() == boost::urls::scheme::https) &&
        !url->host().empty()) {
        return {};
    }
    const std::string found = may_be_secret(from, field) ? "" : ", found " + describe(from);
    return plugin_files::refuse("expected a URL such as \"https://example.com/path\"" + found);
}

Result<void> check_regex(const std::string& text) {
    if (text.size() > regex_bytes_max) {
        return plugin_files::refuse("a regular expression of " + std::to_string(text.size()) +
                                    " bytes; at most 1024 are allowed");
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 compiled(text, options);
    if (compiled.ok()) return {};
    return plugin_files::refuse(toml_string(shortened(text, 80)) +
                                " is no regular expression: " + compiled.error());
}

Result<void> check_choice(const TomlValue& from, const Field& field) {
    if (std::ranges::count(field.allowed, from.text) > 0) return {};
    return plugin_files::refuse("expected " + describe_item(field) + ", found " + describe(from) +
                                suggestion(from.text, field.allowed));
}

Result<void> read_text(const TomlValue& from, const Field& field, SettingValue& out) {
    if (from.kind != TomlValue::Kind::string) return refuse_value(from, field);
    if (field.type == SettingType::url) CAPSTAN_CHECK(check_url(from, field));
    if (field.type == SettingType::regex) CAPSTAN_CHECK(check_regex(from.text));
    if (field.type == SettingType::enumeration) CAPSTAN_CHECK(check_choice(from, field));
    if (field.type == SettingType::instance) out.instance_kind = field.instance_kind;
    out.text = from.text;
    return {};
}

/// A value in the place of a secret's name may be the secret itself, so no message quotes it.
Result<void> read_secret(const TomlValue& from, const Field& field, SettingValue& out) {
    const TomlValue* name = from.find("secret");
    if (name == nullptr || name->kind != TomlValue::Kind::string || from.children.size() != 1) {
        return plugin_files::refuse("expected a " + describe_item(field) +
                                    "; the value itself does not belong in this file");
    }
    if (!is_secret_name(name->text)) {
        return plugin_files::refuse(
            "the name of a secret consists of letters, digits, '-', '_' and '.'");
    }
    out.text = name->text;
    return {};
}

Result<void> read_into(const TomlValue& from, const Field& field, SettingValue& out) {
    switch (field.type) {
        case SettingType::integer: return read_integer(from, field, out);
        case SettingType::number: return read_number(from, field, out);
        case SettingType::boolean: return read_boolean(from, field, out);
        case SettingType::duration: return read_duration(from, field, out);
        case SettingType::quantity: return read_quantity(from, field, out);
        case SettingType::secret: return read_secret(from, field, out);
        case SettingType::string:
        case SettingType::url:
        case SettingType::regex:
        case SettingType::enumeration:
        case SettingType::instance: return read_text(from, field, out);
        case SettingType::table: break;
    }
    return refuse_value(from, field);
}

}  // namespace

Result<SettingValue> read_scalar(const TomlValue& from, const Field& field) {
    SettingValue out{.shape = SettingValue::Shape::value, .type = field.type, .place = from.place};
    CAPSTAN_CHECK(read_into(from, field, out));
    return out;
}

bool may_be_secret(const TomlValue& from, const Field& field) {
    return field.type == SettingType::secret ||
           (field.type == SettingType::url && from.text.find('@') != std::string::npos);
}

std::string describe(const TomlValue& value) {
    switch (value.kind) {
        case TomlValue::Kind::string: return "string " + toml_string(shortened(value.text, 60));
        case TomlValue::Kind::integer: return "integer " + std::to_string(value.integer);
        case TomlValue::Kind::floating: {
            char text[32];
            std::snprintf(text, sizeof text, "%.15g", value.number);
            return std::string("number ") + text;
        }
        case TomlValue::Kind::boolean: return value.boolean ? "boolean true" : "boolean false";
        case TomlValue::Kind::date: return "date " + value.text;
        case TomlValue::Kind::array: return "an array";
        case TomlValue::Kind::table: return "a table";
    }
    return "something else";
}

}  // namespace capstan::runtime::config
