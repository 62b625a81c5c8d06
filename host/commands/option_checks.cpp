#include "commands/option_checks.hpp"

#include <CLI/CLI.hpp>

#include <charconv>

#include "commands/command_line.hpp"
#include "runtime/config/text.hpp"

namespace capstan::commands {

CLI::Validator at_least_one() {
    return CLI::Validator(
        [](const std::string& text) {
            long long number = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            const bool is_read = error == std::errc() && end == text.data() + text.size();
            return is_read && number >= 1 ? std::string()
                                          : "expected a whole number from 1 on, not '" +
                                                runtime::config::shortened(text, 40) + "'";
        },
        "");
}

CLI::Validator one_of(std::vector<std::string> words) {
    return CLI::Validator(
        [words = std::move(words)](const std::string& text) {
            std::string all;
            for (const std::string& word : words) {
                if (text == word) return std::string();
                const char* const separator = &word == &words.back() ? " or " : ", ";
                all += (all.empty() ? "" : separator) + word;
            }
            return "expected " + all + ", not '" + runtime::config::shortened(text, 40) + "'" +
                   runtime::config::suggestion(text, words);
        },
        "");
}

namespace {

using testing::Value;

Value to_value(const runtime::config::TomlValue& v) {
    using Kind = runtime::config::TomlValue::Kind;
    switch (v.kind) {
        case Kind::integer: return Value(v.integer);
        case Kind::floating: return Value(v.number);
        case Kind::boolean: return Value(v.boolean);
        case Kind::table: return Value(to_table(v));
        case Kind::array: {
            Value::List items;
            for (const runtime::config::TomlValue& item : v.children)
                items.push_back(to_value(item));
            return Value(std::move(items));
        }
        case Kind::string:
        case Kind::date: return Value(v.text);
    }
    return Value(v.text);
}

}  // namespace

Value::Table to_table(const runtime::config::TomlValue& v) {
    Value::Table out;
    for (const runtime::config::TomlValue& member : v.children)
        out.emplace_back(member.key, to_value(member));
    return out;
}

}  // namespace capstan::commands
