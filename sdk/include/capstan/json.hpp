/// JSON values, for reading and writing objects of the cluster.
///     CAPSTAN_TRY(Json pod, parse_json(event.object));
///     if (pod.text_at({"spec", "nodeName"}).empty()) pod.at("metadata").set("name", "a");
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/detail/text.hpp>
#include <capstan/detail/utf8.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A value. Copies are deep; comparison respects the order of members. Members keep the order of
/// the text and numbers keep their digits, so values that are passed on do not change.
class Json {
public:
    enum class Type : std::uint8_t { null, boolean, number, text, array, object };
    using Member = std::pair<std::string, Json>;

    Json() = default;  ///< null
    Json(bool value) : type_(Type::boolean), text_(value ? "true" : "false") {}
    Json(std::int64_t value) : type_(Type::number), text_(std::to_string(value)) {}
    Json(int value) : Json(std::int64_t{value}) {}
    Json(std::uint64_t value) : type_(Type::number), text_(std::to_string(value)) {}
    /// With the fewest digits that parse to the same number; null if it is not finite.
    Json(double value);
    Json(std::string value) : type_(Type::text), text_(std::move(value)) {}
    Json(std::string_view value) : Json(std::string(value)) {}
    Json(const char* value) : Json(std::string(value)) {}
    static Json array(std::vector<Json> items = {}) {
        Json out;
        out.type_ = Type::array;
        out.items_ = std::move(items);
        return out;
    }
    static Json object(std::vector<Member> members = {}) {
        Json out;
        out.type_ = Type::object;
        out.members_ = std::move(members);
        return out;
    }
    /// A number from its digits in JSON format.
    static Json number(std::string digits) {
        Json out;
        out.type_ = Type::number;
        out.text_ = std::move(digits);
        return out;
    }

    Type type() const noexcept { return type_; }
    bool is_null() const noexcept { return type_ == Type::null; }
    bool is_object() const noexcept { return type_ == Type::object; }
    bool is_array() const noexcept { return type_ == Type::array; }
    bool is_text() const noexcept { return type_ == Type::text; }

    // Each returns an empty, false or absent value if the type is another one.
    const std::string& text() const noexcept { return is_text() ? text_ : none(); }
    bool boolean() const noexcept { return type_ == Type::boolean && text_ == "true"; }
    /// A whole number in any form ("4", "4.0", "4e3"); absent if it has a fraction or does not fit
    /// the type.
    std::optional<std::int64_t> integer() const noexcept;
    std::optional<std::uint64_t> unsigned_integer() const noexcept;
    /// The nearest double; absent if it would be infinite.
    std::optional<double> number() const noexcept;
    const std::vector<Json>& items() const noexcept { return items_; }
    const std::vector<Member>& members() const noexcept { return members_; }

    /// NULL: no such member, or this is not an object.
    const Json* find(std::string_view key) const noexcept {
        for (const Member& member : members_) {
            if (member.first == key) return &member.second;
        }
        return nullptr;
    }
    /// The value at the end of a path of members; NULL: one of them is missing.
    const Json* find(std::initializer_list<std::string_view> path) const noexcept {
        const Json* here = this;
        for (const std::string_view key : path) {
            here = here->find(key);
            if (here == nullptr) return nullptr;
        }
        return here;
    }
    /// Empty: absent, or not a string.
    const std::string& text_at(std::initializer_list<std::string_view> path) const noexcept {
        const Json* value = find(path);
        return value != nullptr ? value->text() : none();
    }

    /// The member, created as null if it is absent. Makes this value an object if it is none.
    Json& at(std::string_view key) {
        if (!is_object()) *this = object();
        for (Member& member : members_) {
            if (member.first == key) return member.second;
        }
        return members_.emplace_back(std::string(key), Json()).second;
    }
    Json& set(std::string_view key, Json value) {
        at(key) = std::move(value);
        return *this;
    }
    void erase(std::string_view key) {
        std::erase_if(members_, [key](const Member& member) { return member.first == key; });
    }
    /// Makes this value an array if it is none.
    void append(Json value) {
        if (!is_array()) *this = array();
        items_.push_back(std::move(value));
    }

    bool operator==(const Json&) const = default;

private:
    friend std::string to_string(const Json& value);
    static const std::string& none() noexcept {
        static const std::string empty;
        return empty;
    }
    Type type_ = Type::null;
    std::string text_{};  ///< a string; a number or boolean as it is written
    std::vector<Json> items_{};
    std::vector<Member> members_{};
};

namespace detail {

inline void append_json_text(std::string& out, std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += {'\\', c};
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20) {
            out += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        } else {
            out += c;
        }
    }
    out += '"';
}

/// The absolute value of a whole number in JSON format.
inline std::optional<std::uint64_t> find_whole_size(std::string_view text) noexcept {
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::string_view before = take_digits(text);
    std::string_view behind;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        behind = take_digits(text);
    }
    // With an exponent beyond int a number of sensible length is zero or too large.
    constexpr int far = 1'000'000'000;
    int exponent = 0;
    if (before.empty() || (!text.empty() && text.front() != 'e' && text.front() != 'E'))
        return std::nullopt;
    if (!text.empty()) {
        text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
        const char* const end = text.data() + text.size();
        const auto [at, bad] = std::from_chars(text.data(), end, exponent);
        if (at != end || bad == std::errc::invalid_argument) return std::nullopt;
        if (bad != std::errc()) exponent = text.starts_with('-') ? -far : far;
    }
    std::uint64_t size = 0;
    const auto take = [&size](std::uint64_t digit) {
        return !__builtin_mul_overflow(size, std::uint64_t{10}, &size) &&
               !__builtin_add_overflow(size, digit, &size);
    };
    const std::int64_t point = static_cast<std::int64_t>(before.size()) + exponent;
    const auto count = static_cast<std::int64_t>(before.size() + behind.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const char c = at < before.size() ? before[at] : behind[at - before.size()];
        if (i >= point && c != '0') return std::nullopt;
        if (i < point && !take(static_cast<std::uint64_t>(c - '0'))) return std::nullopt;
    }
    for (std::int64_t i = count; i < point && size != 0; ++i) {
        if (!take(0)) return std::nullopt;
    }
    return size;
}

/// Reads one JSON text.
class JsonReader {
    /// The member or, without a key, the item that is being read.
    struct Step {
        const std::string* key = nullptr;
        std::size_t item = 0;
    };

public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    Result<Json> read_all() {
        CAPSTAN_TRY(Json out, read(0));
        skip_space();
        if (at_ != text_.size()) return complain("unexpected text after the value");
        return out;
    }

private:
    static constexpr int depth_max = 128;

    Unexpected complain(std::string_view what) const {
        std::string message =
            "invalid JSON: " + std::string(what) + ", at byte " + std::to_string(at_);
        if (!path_.empty()) message += " in " + path_text();
        const std::string_view rest = text_.substr(at_, 20);
        message += rest.empty() ? ", at the end" : ", before " + in_quotes(clean_utf8(rest, 20));
        return fail(ErrorCode::invalid_argument, std::move(message));
    }
    /// "items[3].name"; only the last parts of a long path.
    std::string path_text() const {
        constexpr std::size_t most = 8;
        std::string out;
        const std::size_t first = path_.size() > most ? path_.size() - most : 0;
        if (first > 0) out = "...";
        for (std::size_t i = first; i < path_.size(); ++i) {
            if (path_[i].key == nullptr) {
                out += '[';
                out += std::to_string(path_[i].item);
                out += ']';
            } else {
                if (!out.empty()) out += '.';
                out += clean_utf8(*path_[i].key, 40);
            }
        }
        return out;
    }
    void skip_space() noexcept {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }
    bool take(char c) noexcept {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) noexcept {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    Result<Json> read(int depth) {
        if (depth > depth_max) return complain("nested too deeply");
        if (take('{')) return read_object(depth);
        if (take('[')) return read_array(depth);
        if (take('"')) {
            CAPSTAN_TRY(std::string out, read_text());
            return Json(std::move(out));
        }
        if (take_word("true")) return Json(true);
        if (take_word("false")) return Json(false);
        if (take_word("null")) return Json();
        return read_number();
    }
    Result<Json> read_object(int depth) {
        std::vector<Json::Member> out;
        if (take('}')) return Json::object();
        do {
            if (!take('"')) return complain("expected a member name");
            CAPSTAN_TRY(std::string key, read_text());
            path_.push_back({&key});
            if (!take(':')) return complain("expected ':'");
            CAPSTAN_TRY(Json value, read(depth + 1));
            path_.pop_back();
            out.emplace_back(std::move(key), std::move(value));
        } while (take(','));
        if (!take('}')) return complain("expected ',' or '}'");
        return Json::object(std::move(out));
    }
    Result<Json> read_array(int depth) {
        std::vector<Json> out;
        if (take(']')) return Json::array();
        do {
            path_.push_back({nullptr, out.size()});
            CAPSTAN_TRY(Json value, read(depth + 1));
            path_.pop_back();
            out.push_back(std::move(value));
        } while (take(','));
        if (!take(']')) return complain("expected ',' or ']'");
        return Json::array(std::move(out));
    }
    Result<Json> read_number() {
        std::string_view rest = text_.substr(at_);
        const std::size_t before = rest.size();
        const auto take_one = [&rest](std::string_view of) {
            if (rest.empty() || of.find(rest.front()) == std::string_view::npos) return false;
            rest.remove_prefix(1);
            return true;
        };
        take_one("-");
        bool is_valid = !take_digits(rest).empty();
        if (take_one(".")) is_valid = !take_digits(rest).empty() && is_valid;
        if (take_one("eE")) {
            take_one("+-");
            is_valid = !take_digits(rest).empty() && is_valid;
        }
        if (!is_valid) return complain("expected a value");
        const std::size_t length = before - rest.size();
        at_ += length;
        return Json::number(std::string(text_.substr(at_ - length, length)));
    }
    /// After the opening quotation mark.
    Result<std::string> read_text() {
        std::string out;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20)
                return complain("unescaped control character");
            if (c != '\\') {
                out += c;
            } else {
                CAPSTAN_CHECK(read_escape(out));
            }
        }
        return complain("unterminated string");
    }
    Result<void> read_escape(std::string& out) {
        static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        if (const std::size_t known = names.find(c); known != std::string_view::npos) {
            out += values[known];
            return {};
        }
        if (c != 'u') return complain("unknown escape");
        CAPSTAN_TRY(std::uint32_t point, read_hex());
        const bool is_first_half = point >= 0xd800 && point < 0xdc00;
        if (is_first_half) {
            if (!take_word("\\u")) return complain("unpaired surrogate");
            CAPSTAN_TRY(const std::uint32_t half, read_hex());
            if (half < 0xdc00 || half > 0xdfff) return complain("unpaired surrogate");
            point = 0x10000 + ((point - 0xd800) << 10) + (half - 0xdc00);
        } else if (point >= 0xdc00 && point < 0xe000) {
            return complain("unpaired surrogate");
        }
        append_utf8(out, point);
        return {};
    }
    Result<std::uint32_t> read_hex() {
        std::uint32_t out = 0;
        const std::string_view digits = text_.substr(at_, 4);
        const auto [end, bad] =
            std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
        if (digits.size() != 4 || bad != std::errc() || end != digits.data() + 4)
            return complain("expected four hexadecimal digits");
        at_ += 4;
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Step> path_{};
};

}  // namespace detail

inline Json::Json(double value) {
    if (!std::isfinite(value)) return;
    std::array<char, 32> out{};
    char* const end = std::to_chars(out.data(), out.data() + out.size(), value).ptr;
    type_ = Type::number;
    text_.assign(out.data(), end);
}

inline std::optional<std::uint64_t> Json::unsigned_integer() const noexcept {
    const auto size = type_ == Type::number ? detail::find_whole_size(text_) : std::nullopt;
    return size && (*size == 0 || text_.front() != '-') ? size : std::nullopt;
}

inline std::optional<std::int64_t> Json::integer() const noexcept {
    const auto size = type_ == Type::number ? detail::find_whole_size(text_) : std::nullopt;
    const bool is_negative = type_ == Type::number && text_.starts_with('-');
    const std::uint64_t most = (std::uint64_t{1} << 63) - (is_negative ? 0 : 1);
    if (!size || *size > most) return std::nullopt;
    return static_cast<std::int64_t>(is_negative ? 0 - *size : *size);
}

inline std::optional<double> Json::number() const noexcept {
    double out = 0;
    const char* const end = text_.data() + text_.size();
    if (type_ != Type::number) return std::nullopt;
    const auto [at, bad] = std::from_chars(text_.data(), end, out);
    // Out of range with a negative exponent: too small for a double, so the nearest one is zero.
    if (bad == std::errc::result_out_of_range && text_.find_first_of("eE") != std::string::npos &&
        text_[text_.find_first_of("eE") + 1] == '-')
        return 0.0;
    if (bad != std::errc() || at != end) return std::nullopt;
    return out;
}

/// `invalid_argument`: invalid JSON; the message has the byte, the path ("items[3].name"), and the
/// text found there.
inline Result<Json> parse_json(std::string_view text) {
    return detail::JsonReader(text).read_all();
}

/// Compact form, without white space.
inline std::string to_string(const Json& value) {
    std::string out;
    const char* between = "";
    switch (value.type()) {
        case Json::Type::null: return "null";
        case Json::Type::boolean:
        case Json::Type::number: return value.text_;
        case Json::Type::text: detail::append_json_text(out, value.text_); return out;
        case Json::Type::array:
            out += '[';
            for (const Json& item : value.items_) {
                out += std::exchange(between, ",");
                out += to_string(item);
            }
            out += ']';
            return out;
        case Json::Type::object: break;
    }
    out += '{';
    for (const auto& [key, member] : value.members_) {
        out += std::exchange(between, ",");
        detail::append_json_text(out, key);
        out += ':';
        out += to_string(member);
    }
    out += '}';
    return out;
}

CAPSTAN_NAMESPACE_END
