/// A struct as a table of the configuration. One description gives its schema, its defaults, its
/// reader and its documentation.
///
///     struct Log {
///         LogLevel level = LogLevel::info;
///     };
///     void describe(auto&& key, Log& s) { key("level", s.level, "Lines below are not written."); }
///
/// fields_of(Log{}) makes the schema, each default taken from the member; read_section<Log>(table)
/// fills a struct.
#pragma once

#include <array>
#include <climits>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/ids.hpp>
#include <capstan/quantity.hpp>

#include "config/schema.hpp"
#include "config/text.hpp"
#include "config/validated_settings.hpp"

namespace capstan::config {

/// Properties of a member that do not follow from its type. Integers, durations and quantities are
/// at least 0 unless `min` is set.
struct Rules {
    std::optional<SettingBound> min{}, max{};
    std::string instance_kind{};
    std::string shorthand{};
    std::string upstream{};  ///< upstream's default as TOML, if it differs
};

/// An enum of the configuration has `constexpr auto names_of(E)`: the word of each enumerator, in
/// order.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { names_of(E{}); };

/// The representation of a C++ type in the file: `field` makes its Field, `toml` its default as
/// TOML, and `read` a value. A struct with a describe() is a type, too; see below.
template <class T>
struct MemberType;

template <class S>
Fields fields_of(S defaults);
template <class S>
S read_section(const SettingValue& table);

template <>
struct MemberType<bool> {
    static Field field(bool, const Rules&) { return {.type = SettingType::boolean}; }
    static std::string toml(bool value) { return value ? "true" : "false"; }
    static bool read(const SettingValue& from) { return from.boolean; }
};

template <>
struct MemberType<int> {
    static Field field(int, const Rules& rules) {
        return {.type = SettingType::integer,
                .min = rules.min.value_or(0),
                .max = rules.max.value_or(INT_MAX)};
    }
    static std::string toml(int value) { return std::to_string(value); }
    static int read(const SettingValue& from) { return static_cast<int>(from.integer); }
};

template <>
struct MemberType<double> {
    static Field field(double, const Rules& rules) {
        return {.type = SettingType::number, .min = rules.min, .max = rules.max};
    }
    static std::string toml(double value) { return toml_number(value); }
    static double read(const SettingValue& from) { return from.number; }
};

template <>
struct MemberType<std::string> {
    static Field field(const std::string&, const Rules&) { return {.type = SettingType::string}; }
    static std::string toml(const std::string& value) { return toml_string(value); }
    static std::string read(const SettingValue& from) { return from.text; }
};

template <>
struct MemberType<Duration> {
    static Field field(Duration, const Rules& rules) {
        return {.type = SettingType::duration, .min = rules.min.value_or(0), .max = rules.max};
    }
    static std::string toml(Duration value) { return toml_string(format_duration(value)); }
    static Duration read(const SettingValue& from) { return Duration(from.integer); }
};

template <>
struct MemberType<Quantity> {
    static Field field(const Quantity&, const Rules& rules) {
        return {.type = SettingType::quantity, .min = rules.min.value_or(0), .max = rules.max};
    }
    static std::string toml(const Quantity& value) { return toml_string(to_string(value)); }
    // The text has been validated; it is parsed again because the quantity has to be exact.
    static Quantity read(const SettingValue& from) {
        return parse_quantity(from.text).value_or(Quantity{});
    }
};

template <>
struct MemberType<PluginInstanceId> {
    static Field field(const PluginInstanceId&, const Rules& rules) {
        return {.type = SettingType::instance, .instance_kind = rules.instance_kind};
    }
    static std::string toml(const PluginInstanceId& id) { return toml_string(id.value()); }
    static PluginInstanceId read(const SettingValue& from) { return PluginInstanceId(from.text); }
};

template <NamedEnum E>
struct MemberType<E> {
    static Field field(E, const Rules&) {
        Field out{.type = SettingType::enumeration};
        for (const std::string_view name : names_of(E{})) out.allowed.emplace_back(name);
        return out;
    }
    static std::string toml(E value) {
        return toml_string(names_of(E{})[static_cast<std::size_t>(value)]);
    }
    static E read(const SettingValue& from) {
        std::size_t index = 0;
        while (index + 1 < names_of(E{}).size() && names_of(E{})[index] != from.text) ++index;
        return static_cast<E>(index);
    }
};

/// An absent key without a default.
template <class T>
struct MemberType<std::optional<T>> {
    static Field field(const std::optional<T>& value, const Rules& rules) {
        return MemberType<T>::field(value.value_or(T{}), rules);
    }
    static std::string toml(const std::optional<T>& value) {
        return value ? MemberType<T>::toml(*value) : "";
    }
    static std::optional<T> read(const SettingValue& from) { return MemberType<T>::read(from); }
};

template <class T>
struct MemberType<std::vector<T>> {
    static Field field(const std::vector<T>&, const Rules& rules) {
        Field out = MemberType<T>::field(T{}, rules);
        out.list = true;
        return out;
    }
    static std::string toml(const std::vector<T>& value) {
        std::string out;
        for (const T& item : value) out += (out.empty() ? "" : ", ") + MemberType<T>::toml(item);
        return "[" + out + "]";
    }
    static std::vector<T> read(const SettingValue& from) {
        std::vector<T> out;
        for (const SettingValue& item : from.children) out.push_back(MemberType<T>::read(item));
        return out;
    }
};

template <class T>
struct MemberType<std::map<std::string, T>> {
    static Field field(const std::map<std::string, T>&, const Rules& rules) {
        Field out = MemberType<T>::field(T{}, rules);
        out.map = true;
        return out;
    }
    static std::string toml(const std::map<std::string, T>& value) {
        std::string out;
        for (const auto& [key, item] : value) {
            out += (out.empty() ? " " : ", ") + toml_key(key) + " = " + MemberType<T>::toml(item);
        }
        return out.empty() ? "{}" : "{" + out + " }";
    }
    static std::map<std::string, T> read(const SettingValue& from) {
        std::map<std::string, T> out;
        for (const SettingValue& item : from.children)
            out.emplace(item.key, MemberType<T>::read(item));
        return out;
    }
};

namespace detail {

struct FieldWriter {
    Fields fields;

    template <class T>
    void operator()(std::string key, T& member, std::string doc, const Rules& rules = {}) {
        Field field = MemberType<T>::field(member, rules);
        field.key = std::move(key);
        field.doc = std::move(doc);
        field.default_toml = MemberType<T>::toml(member);
        field.upstream = rules.upstream;
        if (field.type == SettingType::table) field.shorthand = rules.shorthand;
        fields.push_back(std::move(field));
    }
};

struct MemberReader {
    const SettingValue& table;

    template <class T>
    void operator()(std::string_view key, T& member, std::string_view, const Rules& = {}) {
        if (const SettingValue* value = table.find(key)) member = MemberType<T>::read(*value);
    }
};

/// Writes each member as TOML, for the default of a table.
struct MemberPrinter {
    std::string text;

    template <class T>
    void operator()(std::string_view key, T& member, std::string_view, const Rules& = {}) {
        const std::string value = MemberType<T>::toml(member);
        if (!value.empty()) text += (text.empty() ? " " : ", ") + toml_key(key) + " = " + value;
    }
};

}  // namespace detail

template <class S>
concept Described = requires(S s, detail::FieldWriter w) { describe(w, s); };

template <Described S>
struct MemberType<S> {
    static Field field(const S& value, const Rules&) {
        return {.type = SettingType::table, .fields = fields_of(value)};
    }
    static std::string toml(S value) {
        if constexpr (requires { short_text(value); }) {
            if (const std::optional<std::string> text = short_text(value))
                return toml_string(*text);
        }
        detail::MemberPrinter printer;
        describe(printer, value);
        return printer.text.empty() ? "{}" : "{" + printer.text + " }";
    }
    static S read(const SettingValue& from) { return read_section<S>(from); }
};

/// The schema of S: its keys in the order of describe(), with the values of `defaults`.
template <class S>
Fields fields_of(S defaults) {
    detail::FieldWriter writer;
    describe(writer, defaults);
    return std::move(writer.fields);
}

/// An S from a validated table. Missing members keep their defaults.
template <class S>
S read_section(const SettingValue& table) {
    S out;
    describe(detail::MemberReader{table}, out);
    return out;
}

}  // namespace capstan::config
