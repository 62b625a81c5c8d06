/// Settings of an instance: the schema, declared as data, and the validated values.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/abi/settings.h>
#include <capstan/error.hpp>
#include <capstan/time.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

enum class SettingType : std::int32_t {
    string = CAPSTAN_TYPE_STRING,
    integer = CAPSTAN_TYPE_INTEGER,
    number = CAPSTAN_TYPE_FLOAT,
    boolean = CAPSTAN_TYPE_BOOLEAN,
    duration = CAPSTAN_TYPE_DURATION,
    quantity = CAPSTAN_TYPE_QUANTITY,
    url = CAPSTAN_TYPE_URL,
    regex = CAPSTAN_TYPE_REGEX,
    enumeration = CAPSTAN_TYPE_ENUM,
    secret = CAPSTAN_TYPE_SECRET,
    instance = CAPSTAN_TYPE_INSTANCE,
    table = CAPSTAN_TYPE_TABLE,
};

/// A bound of a setting: a number, or a duration (`.min = 10ms`). Converts to the double of the
/// ABI: the nanoseconds of a duration.
class SettingBound {
public:
    template <class N>
        requires std::is_arithmetic_v<N>
    constexpr SettingBound(N number) noexcept : value_(static_cast<double>(number)) {}
    template <class Rep, class Period>
    constexpr SettingBound(std::chrono::duration<Rep, Period> time) noexcept
        : value_(std::chrono::duration<double, std::nano>(time).count()) {}
    constexpr operator double() const noexcept { return value_; }

private:
    double value_;
};

/// One setting, written with designated initializers:
///     {.key = "tolerance", .type = SettingType::number, .doc = "Relative; 0 is exact.",
///      .default_value = "0.05", .min = 0, .max = 1}
/// Texts are literals: they must live as long as the plugin.
struct Setting {
    std::string_view key{};
    SettingType type = SettingType::string;
    std::string_view doc{};  ///< one or two sentences, with the unit
    /// TOML text; empty: no default. An absent table without a default has the defaults of its
    /// members, unless a member is required.
    std::string_view default_value{};
    bool required = false;
    bool list = false;                         ///< an array of `type`
    bool map = false;                          ///< a table with free keys and values of `type`
    bool live = false;                         ///< may change without a restart
    bool deprecated = false;                   ///< see `replaced_by`
    std::vector<std::string_view> allowed{};   ///< of an enumeration
    std::optional<SettingBound> min{}, max{};  ///< inclusive; of numbers, durations, quantities
    std::vector<Setting> fields{};             ///< of a table
    std::string_view instance_kind{};          ///< of an instance: the kind it must be of
    std::string_view replaced_by{};
};
using Schema = std::vector<Setting>;

/// Validated settings, or one table inside them. Valid during the call that receives them.
class Settings {
public:
    explicit Settings(const capstan_settings& settings,
                      capstan_cursor at = CAPSTAN_CURSOR_ROOT) noexcept
        : settings_(&settings), at_(at) {}

    /// True if the key is set or has a default.
    bool has(std::string_view key) const noexcept { return cursor(key) != CAPSTAN_CURSOR_NONE; }

    // The value of a key that is set, required or has a default. Any other key, or a type other
    // than that of the schema, throws Failure(internal): a bug in the plugin. A list or a map of an
    // absent key is empty.
    std::string text(std::string_view key) const { return std::string(text_at(cursor(key), key)); }
    std::int64_t integer(std::string_view key) const { return integer_at(cursor(key), key); }
    double number(std::string_view key) const { return number_at(cursor(key), key); }
    bool boolean(std::string_view key) const { return boolean_at(cursor(key), key); }
    Duration duration(std::string_view key) const { return Duration(integer(key)); }

    std::vector<std::string> texts(std::string_view key) const {
        return list<std::string>(key,
                                 [&](capstan_cursor c) { return std::string(text_at(c, key)); });
    }
    std::vector<std::int64_t> integers(std::string_view key) const {
        return list<std::int64_t>(key, [&](capstan_cursor c) { return integer_at(c, key); });
    }
    std::vector<double> numbers(std::string_view key) const {
        return list<double>(key, [&](capstan_cursor c) { return number_at(c, key); });
    }
    /// The keys and values of a map, in the order of the file.
    std::vector<std::pair<std::string, double>> number_map(std::string_view key) const {
        return map<double>(key, [&](capstan_cursor c) { return number_at(c, key); });
    }
    std::vector<std::pair<std::string, std::string>> text_map(std::string_view key) const {
        return map<std::string>(key,
                                [&](capstan_cursor c) { return std::string(text_at(c, key)); });
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> text_list_map(
        std::string_view key) const {
        return map<std::vector<std::string>>(key, [&](capstan_cursor c) {
            std::vector<std::string> out;
            for (std::uint32_t i = 0; i < settings_->size(settings_, c); ++i) {
                out.emplace_back(text_at(settings_->item(settings_, c, i, nullptr), key));
            }
            return out;
        });
    }
    /// A table inside this one; an absent one has no members.
    Settings table(std::string_view key) const noexcept {
        return Settings(*settings_, cursor(key));
    }
    /// The tables of a list of tables.
    std::vector<Settings> tables(std::string_view key) const {
        return list<Settings>(key, [&](capstan_cursor c) { return Settings(*settings_, c); });
    }
    /// The tables of a map of tables, in the order of the file.
    std::vector<std::pair<std::string, Settings>> table_map(std::string_view key) const {
        return map<Settings>(key, [&](capstan_cursor c) { return Settings(*settings_, c); });
    }

    /// In a class's `check`: rejects the value of a key. The host prints file, line, column, the
    /// line itself and `why`.
    void reject(std::string_view key, std::string_view why) const noexcept {
        settings_->reject(settings_, has(key) ? cursor(key) : at_, str(why));
    }
    /// Rejects the index-th item of a list or map.
    void reject(std::string_view key, std::size_t index, std::string_view why) const noexcept {
        settings_->reject(
            settings_,
            settings_->item(settings_, cursor(key), static_cast<std::uint32_t>(index), nullptr),
            str(why));
    }

private:
    capstan_cursor cursor(std::string_view key) const noexcept {
        return settings_->member(settings_, at_, str(key));
    }
    static void demand(capstan_status status, std::string_view key) {
        if (status == CAPSTAN_OK) return;
        throw Failure(ErrorCode::internal, "setting " + std::string(key) +
                                               ": read without a value, or as a different type");
    }
    std::string_view text_at(capstan_cursor at, std::string_view key) const {
        capstan_str out{};
        demand(settings_->get_text(settings_, at, &out), key);
        return capstan::text(out);
    }
    std::int64_t integer_at(capstan_cursor at, std::string_view key) const {
        std::int64_t out = 0;
        demand(settings_->get_integer(settings_, at, &out), key);
        return out;
    }
    double number_at(capstan_cursor at, std::string_view key) const {
        double out = 0;
        demand(settings_->get_float(settings_, at, &out), key);
        return out;
    }
    bool boolean_at(capstan_cursor at, std::string_view key) const {
        std::int32_t out = 0;
        demand(settings_->get_boolean(settings_, at, &out), key);
        return out != 0;
    }
    template <class T, class Read>
    std::vector<T> list(std::string_view key, Read read) const {
        const capstan_cursor at = cursor(key);
        std::vector<T> out;
        for (std::uint32_t i = 0; i < settings_->size(settings_, at); ++i) {
            out.push_back(read(settings_->item(settings_, at, i, nullptr)));
        }
        return out;
    }
    template <class T, class Read>
    std::vector<std::pair<std::string, T>> map(std::string_view key, Read read) const {
        const capstan_cursor at = cursor(key);
        std::vector<std::pair<std::string, T>> out;
        for (std::uint32_t i = 0; i < settings_->size(settings_, at); ++i) {
            capstan_str name{};
            const capstan_cursor item = settings_->item(settings_, at, i, &name);
            out.emplace_back(std::string(capstan::text(name)), read(item));
        }
        return out;
    }

    const capstan_settings* settings_;
    capstan_cursor at_;
};

namespace detail {

/// A schema as ABI descriptors; owns the arrays, borrows the literals.
class AbiSchema {
public:
    explicit AbiSchema(const Schema& schema) : fields_(to_abi(schema)) {}
    AbiSchema(const AbiSchema&) = delete;
    AbiSchema& operator=(const AbiSchema&) = delete;
    capstan_array fields() const noexcept { return fields_; }

private:
    capstan_array to_abi(const Schema& schema) {
        std::vector<capstan_field> fields;
        for (const Setting& s : schema) fields.push_back(to_abi(s));
        return array_of(field_arrays_.emplace_back(std::move(fields)));
    }
    capstan_field to_abi(const Setting& s) {
        std::vector<capstan_str> allowed;
        for (const std::string_view value : s.allowed) allowed.push_back(str(value));
        capstan_field f{};
        f.struct_size = sizeof f;
        const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0u; };
        f.flags = flag(s.required, CAPSTAN_FIELD_REQUIRED) | flag(s.list, CAPSTAN_FIELD_LIST) |
                  flag(s.map, CAPSTAN_FIELD_MAP) | flag(s.live, CAPSTAN_FIELD_LIVE) |
                  flag(s.deprecated, CAPSTAN_FIELD_DEPRECATED) |
                  flag(s.min.has_value(), CAPSTAN_FIELD_MIN) |
                  flag(s.max.has_value(), CAPSTAN_FIELD_MAX);
        f.type = static_cast<std::int32_t>(s.type);
        f.key = str(s.key);
        f.doc = str(s.doc);
        f.default_value = str(s.default_value);
        f.allowed = array_of(text_arrays_.emplace_back(std::move(allowed)));
        f.min = s.min.value_or(0);
        f.max = s.max.value_or(0);
        f.fields = to_abi(s.fields);
        f.instance_kind = str(s.instance_kind);
        f.replaced_by = str(s.replaced_by);
        return f;
    }

    std::deque<std::vector<capstan_field>> field_arrays_;
    std::deque<std::vector<capstan_str>> text_arrays_;
    capstan_array fields_;
};

}  // namespace detail

CAPSTAN_NAMESPACE_END
