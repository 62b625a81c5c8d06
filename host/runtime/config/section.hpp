/// A struct as a table of the configuration: described once, read and documented from that.
///
///     struct Log {
///         LogLevel level = LogLevel::info;
///     };
///     void describe(auto&& key, Log& s) { key("level", s.level, "Lines below are not written."); }
///
/// fields_of(Log{}) makes the schema, each default taken from the member; read_section<Log>(table)
/// fills a struct.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/config/member_type.hpp"
#include "runtime/config/schema.hpp"
#include "runtime/config/validated_settings.hpp"

namespace capstan::runtime::config {

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

/// Each member as TOML, for the default of a table.
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

/// An S from a validated table; members that are missing keep their defaults.
template <class S>
S read_section(const SettingValue& table) {
    S out;
    describe(detail::MemberReader{table}, out);
    return out;
}

}  // namespace capstan::runtime::config
