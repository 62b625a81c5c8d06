/// A value as it may stand in a configuration file.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

/// Text, a number, true or false, a list, or a table with its keys in the order of the file.
/// Durations, quantities and URLs are text until a schema says otherwise.
class Value {
public:
    using List = std::vector<Value>;
    using Table = std::vector<std::pair<std::string, Value>>;
    using Any = std::variant<std::string, std::int64_t, double, bool, List, Table>;

    Value(const char* text) : any_(std::string(text)) {}
    Value(std::string text) : any_(std::move(text)) {}
    Value(std::string_view text) : any_(std::string(text)) {}
    template <std::integral T>
    Value(T number) : any_(static_cast<std::int64_t>(number)) {}
    Value(double number) : any_(number) {}
    Value(bool flag) : any_(flag) {}
    template <class Rep, class Period>
    Value(std::chrono::duration<Rep, Period> duration) : any_(format_duration(duration)) {}
    Value(List list) : any_(std::move(list)) {}
    Value(Table table) : any_(std::move(table)) {}
    /// list("a", "b"); table({{"weight", 2}}).
    template <class... Items>
    friend Value list(Items&&... items);

    const Any& any() const noexcept { return any_; }
    template <class T>
    const T* get_if() const noexcept {
        return std::get_if<T>(&any_);
    }
    bool operator==(const Value&) const = default;

private:
    Any any_;
};

template <class... Items>
Value list(Items&&... items) {
    return Value(Value::List{Value(std::forward<Items>(items))...});
}
inline Value table(std::initializer_list<std::pair<std::string, Value>> members) {
    return Value(Value::Table(members));
}

/// One value of TOML: a string of one line, a number, true or false, an array, an inline table.
/// Dates, text of several lines, comments, dotted keys and numbers of other bases are not read. The
/// error says what was expected, and at which character.
Result<Value> parse_toml_value(std::string_view text);

}  // namespace testing
CAPSTAN_NAMESPACE_END
