/// The rules by which a file's values are read against a schema. The host and the testing kit share
/// them, so a plugin gets the same settings in its own tests as in a host. A plugin does not need
/// this header.
///
/// Three things are not shared. In messages, the host names the place in the file and hides what
/// may be a secret. The host compiles regular expressions with RE2, the kit with std::regex,
/// because the SDK depends on no regular expression library. Only the host knows whether the plugin
/// instance that a setting names exists.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/duration.hpp>
#include <capstan/quantity.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/settings.hpp>
#include <capstan/url.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The value, as TOML, that `field` has if its key is absent; empty: none. It is the field's
/// default. An optional table without a default is `{}`, so that it has the defaults of its
/// members, unless no member would get a value, or a member is required.
///     a table whose member `times` has the default 3   ->  {}
///     a table whose member `name` is required          ->  absent
inline std::string_view absent_value(const capstan_field& field) {
    constexpr std::uint32_t other_shapes =
        CAPSTAN_FIELD_REQUIRED | CAPSTAN_FIELD_LIST | CAPSTAN_FIELD_MAP;
    const std::string_view written = text(field.default_value);
    const bool is_optional_table =
        field.type == CAPSTAN_TYPE_TABLE && (field.flags & other_shapes) == 0;
    if (!written.empty() || !is_optional_table) return written;
    bool has_value = false;
    for (const capstan_field& member : View<capstan_field>(field.fields)) {
        if ((member.flags & CAPSTAN_FIELD_REQUIRED) != 0) return {};
        has_value = has_value || !absent_value(member).empty();
    }
    return has_value ? "{}" : "";
}

/// Whether Kubernetes accepts the name as a key of a Secret. Such a name is safe as a file name.
constexpr bool is_secret_name(std::string_view name) noexcept {
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 253 && name != "." && !name.starts_with("..") &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

/// Longer regular expressions are refused, because compiling one takes stack and memory in
/// proportion to its length.
inline constexpr std::size_t setting_regex_bytes_max = 1024;

/// What a field says about one value. For a list or a map that is the value of one item.
struct SettingRule {
    SettingType type = SettingType::string;
    std::optional<double> min{}, max{};       ///< as in capstan_field
    std::vector<std::string_view> allowed{};  ///< of an enumeration
};

inline SettingRule rule_of(const capstan_field& field) {
    SettingRule out{.type = static_cast<SettingType>(field.type)};
    if ((field.flags & CAPSTAN_FIELD_MIN) != 0) out.min = field.min;
    if ((field.flags & CAPSTAN_FIELD_MAX) != 0) out.max = field.max;
    for (const capstan_str& value : View<capstan_str>(field.allowed))
        out.allowed.push_back(text(value));
    return out;
}

/// `{ secret = "name" }`.
struct WrittenSecret {
    std::string_view name;
};
/// A value that no rule here accepts, in words: "an array", "a table", "date 1979-05-27".
struct WrittenOther {
    std::string words;
};
/// A value of a file. Borrows its text.
using WrittenValue =
    std::variant<std::string_view, std::int64_t, double, bool, WrittenSecret, WrittenOther>;

/// `string "many"`, `integer 10`, `a table`: for messages about what was found.
inline std::string describe_value(const WrittenValue& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
        return "string " + in_quotes(*text);
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return "integer " + std::to_string(*whole);
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "boolean true" : "boolean false";
    if (const auto* other = std::get_if<WrittenOther>(&value)) return other->words;
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr) return "a table";
    char out[32];
    std::snprintf(out, sizeof out, "number %.15g", *number);
    return out;
}

namespace detail {

constexpr std::string_view type_word(SettingType type) noexcept {
    switch (type) {
        case SettingType::string: return "string";
        case SettingType::integer: return "integer";
        case SettingType::number: return "number";
        case SettingType::boolean: return "boolean";
        case SettingType::duration: return "duration";
        case SettingType::quantity: return "quantity";
        case SettingType::url: return "URL";
        case SettingType::regex: return "regular expression";
        case SettingType::enumeration: return "one of";
        case SettingType::secret: return "secret";
        case SettingType::instance: return "plugin instance";
        case SettingType::table: return "table";
    }
    return "value";
}

inline std::string bound_text(const SettingRule& rule, double bound) {
    if (rule.type == SettingType::duration)
        return format_duration(Duration(static_cast<std::int64_t>(bound)));
    char out[32];
    std::snprintf(out, sizeof out, "%.15g", bound);
    return out;
}

/// " 1..5", " of at least 1s". The limits of int are not shown.
inline std::string bounds_text(const SettingRule& rule) {
    const bool is_integer = rule.type == SettingType::integer;
    const bool has_min = rule.min && !(is_integer && *rule.min <= INT_MIN);
    const bool has_max = rule.max && !(is_integer && *rule.max >= INT_MAX);
    if (has_min && has_max)
        return " " + bound_text(rule, *rule.min) + ".." + bound_text(rule, *rule.max);
    if (has_min) return " of at least " + bound_text(rule, *rule.min);
    if (has_max) return " of at most " + bound_text(rule, *rule.max);
    return "";
}

}  // namespace detail

/// `integer 1..1000`, `duration of at least 1s`, `one of "skip", "fail"`.
inline std::string describe_rule(const SettingRule& rule) {
    std::string out(detail::type_word(rule.type));
    if (rule.type != SettingType::enumeration) return out + detail::bounds_text(rule);
    for (std::size_t i = 0; i < rule.allowed.size(); ++i)
        out += (i == 0 ? " " : ", ") + in_quotes(rule.allowed[i]);
    return out;
}

/// The same with an example of what is written: `duration such as "90s" or "1h30m" of at least 1s`.
inline std::string describe_expected(const SettingRule& rule) {
    switch (rule.type) {
        case SettingType::duration:
            return "duration such as \"90s\" or \"1h30m\"" + detail::bounds_text(rule);
        case SettingType::quantity:
            return "quantity such as \"500m\" or \"32Gi\"" + detail::bounds_text(rule);
        case SettingType::url: return "a URL such as \"https://example.com/path\"";
        case SettingType::secret: return "a secret such as { secret = \"name\" }";
        case SettingType::instance: return "the name of a plugin";
        default: return describe_rule(rule);
    }
}

/// What a plugin can read a value as: see the getters of capstan_settings.
struct ReadSetting {
    std::optional<std::string> text{};
    std::optional<std::int64_t> integer{};
    std::optional<double> number{};
    std::optional<bool> boolean{};
};

namespace detail {

/// Whether `text` has only RFC 3986's unreserved characters, sub-delimiters and escapes, and
/// characters of `more`.
inline bool is_url_text(std::string_view text, std::string_view more) noexcept {
    constexpr std::string_view delimiters = "!$&'()*+,;=";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '%' ? find_escape(text.substr(i)).has_value()
                     : is_unreserved(c) || delimiters.find(c) != std::string_view::npos ||
                           more.find(c) != std::string_view::npos)
            continue;
        return false;
    }
    return true;
}

/// Whether `text` is a host with an optional port, without a user: "example.com", "10.0.0.1:80",
/// "[::1]:80".
inline bool is_url_server(std::string_view text) noexcept {
    std::string_view host = text.substr(0, text.find(':'));
    std::string_view port = text.substr(host.size());
    if (text.starts_with('[')) {
        host = text.substr(1, std::min(text.find(']'), text.size()) - 1);
        port = text.substr(std::min(host.size() + 2, text.size()));
        const bool is_closed = text.find(']') != std::string_view::npos;
        if (!is_closed || std::count(host.begin(), host.end(), ':') < 2 ||
            host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos)
            return false;
    }
    const bool is_port =
        port.empty() ||
        (port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_ascii_digit));
    return !host.empty() && is_url_text(host, ":") && is_port;
}

/// Reads one value by a rule. Each function leaves what it read in `out_`.
class SettingReader {
public:
    SettingReader(const SettingRule& rule, const WrittenValue& value)
        : rule_(rule), value_(value), text_(std::get_if<std::string_view>(&value)) {}

    Result<ReadSetting> read() {
        CAPSTAN_CHECK(read_value());
        return std::move(out_);
    }

private:
    static Unexpected refuse(std::string why) {
        return fail(ErrorCode::invalid_config, std::move(why));
    }
    Unexpected mismatch() const {
        return refuse("expected " + describe_expected(rule_) + ", found " + describe_value(value_));
    }
    /// long double represents each int64 exactly, so the comparison has no rounding error.
    Result<void> check_bounds(long double value) const {
        const bool is_within =
            (!rule_.min || value >= *rule_.min) && (!rule_.max || value <= *rule_.max);
        return is_within ? Result<void>() : mismatch();
    }
    Result<void> read_value() {
        switch (rule_.type) {
            case SettingType::integer: return read_integer();
            case SettingType::number: return read_number();
            case SettingType::boolean: return read_boolean();
            case SettingType::duration: return read_duration();
            case SettingType::quantity: return read_quantity();
            case SettingType::secret: return read_secret();
            case SettingType::table: return mismatch();
            default: return read_text();
        }
    }
    Result<void> read_integer() {
        const auto* whole = std::get_if<std::int64_t>(&value_);
        if (whole == nullptr) return mismatch();
        out_.integer = *whole;
        out_.number = static_cast<double>(*whole);
        return check_bounds(*whole);
    }
    Result<void> read_number() {
        if (const auto* whole = std::get_if<std::int64_t>(&value_))
            out_.number = static_cast<double>(*whole);
        if (const auto* number = std::get_if<double>(&value_)) out_.number = *number;
        // inf and nan are valid TOML, but no setting accepts them.
        if (!out_.number || !std::isfinite(*out_.number)) return mismatch();
        return check_bounds(*out_.number);
    }
    Result<void> read_boolean() {
        const auto* flag = std::get_if<bool>(&value_);
        if (flag == nullptr) return mismatch();
        out_.boolean = *flag;
        return {};
    }
    Result<void> read_duration() {
        if (text_ == nullptr) return mismatch();
        const Result<Duration> duration = parse_duration(*text_);
        if (!duration) return refuse(duration.error().message);
        out_.text = *text_;
        out_.integer = duration->count();
        return check_bounds(duration->count());
    }
    Result<void> read_quantity() {
        const auto* whole = std::get_if<std::int64_t>(&value_);
        if (text_ == nullptr && whole == nullptr) return mismatch();
        out_.text = whole != nullptr ? std::to_string(*whole) : std::string(*text_);
        const Result<Quantity> quantity = parse_quantity(*out_.text);
        if (!quantity) return refuse(quantity.error().message);
        out_.integer = quantity->value();
        return check_bounds(*out_.integer);
    }
    Result<void> read_text() {
        if (text_ == nullptr) return mismatch();
        out_.text = *text_;
        if (rule_.type == SettingType::url) return check_url(*text_);
        if (rule_.type == SettingType::regex && text_->size() > setting_regex_bytes_max)
            return refuse("a regular expression of " + std::to_string(text_->size()) +
                          " bytes; at most " + std::to_string(setting_regex_bytes_max) +
                          " are allowed");
        const bool is_allowed =
            rule_.type != SettingType::enumeration ||
            std::find(rule_.allowed.begin(), rule_.allowed.end(), *text_) != rule_.allowed.end();
        return is_allowed ? Result<void>() : mismatch();
    }
    /// A URL must be http or https and have a host. Credentials belong in a secret, because
    /// configurations are shown; a message quotes no URL that may contain credentials.
    Result<void> check_url(std::string_view url) const {
        const std::size_t scheme_end = std::min(url.find("://"), url.size());
        const std::string scheme = lower_case(url.substr(0, scheme_end));
        std::string_view rest = url.substr(std::min(scheme_end + 3, url.size()));
        const std::string_view server = rest.substr(0, rest.find_first_of("/?#"));
        rest.remove_prefix(server.size());
        const std::size_t fragment = std::min(rest.find('#'), rest.size());
        if (server.find('@') != std::string_view::npos)
            return refuse("a URL with a user or password; use a secret for them");
        if ((scheme == "http" || scheme == "https") && is_url_server(server) &&
            is_url_text(rest.substr(0, fragment), ":@/?") &&
            is_url_text(rest.substr(std::min(fragment + 1, rest.size())), ":@/?"))
            return {};
        if (url.find('@') == std::string_view::npos) return mismatch();
        return refuse("expected " + describe_expected(rule_));
    }
    /// A value in the place of a secret's name may be the secret itself, so no message quotes it.
    Result<void> read_secret() {
        const auto* secret = std::get_if<WrittenSecret>(&value_);
        if (secret == nullptr)
            return refuse("expected " + describe_expected(rule_) +
                          "; the value itself does not belong in this file");
        if (!is_secret_name(secret->name))
            return refuse("the name of a secret consists of letters, digits, '-', '_' and '.'");
        out_.text = secret->name;
        return {};
    }

    const SettingRule& rule_;
    const WrittenValue& value_;
    const std::string_view* const text_;  ///< NULL: the value is not text
    ReadSetting out_;
};

}  // namespace detail

/// Reads a value that is neither list, map nor table. The error says what was expected and, unless
/// it may be secret, what was found.
inline Result<ReadSetting> read_setting(const SettingRule& rule, const WrittenValue& value) {
    return detail::SettingReader(rule, value).read();
}

CAPSTAN_NAMESPACE_END
