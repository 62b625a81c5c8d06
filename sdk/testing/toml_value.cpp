#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include <capstan/ascii.hpp>
#include <capstan/testing/setting_value.hpp>
#include <capstan/utf8.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr int depth_max = 16;

class TomlReader {
public:
    explicit TomlReader(std::string_view text) : text_(text) {}

    Result<Value> read_all() {
        if (!is_utf8(text_)) return refuse("UTF-8");
        skip_space();
        CAPSTAN_TRY(Value value, read());
        skip_space();
        if (at_ != text_.size()) return refuse("the end");
        return value;
    }

private:
    Unexpected refuse(std::string_view expected) const {
        return fail(ErrorCode::invalid_config, "expected " + std::string(expected) +
                                                   " at character " + std::to_string(at_ + 1) +
                                                   " of " + std::string(text_));
    }
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) noexcept { return peek() == c && at_ < text_.size() ? (++at_, true) : false; }
    void skip(std::string_view characters) noexcept {
        while (at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos) ++at_;
    }
    void skip_space() noexcept { skip(" \t\r\n"); }
    /// Within a table no line ends.
    void skip_blanks() noexcept { skip(" \t"); }
    static bool is_control(char c) noexcept {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    }

    Result<Value> read() {
        if (++depth_ > depth_max) return refuse("less nesting");
        Result<Value> value = read_here();
        --depth_;
        return value;
    }
    Result<Value> read_here() {
        switch (peek()) {
            case '"': return read_basic();
            case '\'': return read_literal();
            case '[': return read_list();
            case '{': return read_table();
            default: return read_word();
        }
    }
    Result<Value> read_literal() {
        const std::size_t end = text_.find('\'', at_ + 1);
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        if (end == std::string_view::npos || std::any_of(inside.begin(), inside.end(), is_control))
            return refuse("a closing '");
        Value value(inside);
        at_ = end + 1;
        return value;
    }
    Result<Value> read_basic() {
        std::string out;
        ++at_;
        while (!take('"')) {
            if (at_ >= text_.size() || is_control(peek())) return refuse("a closing \"");
            if (take('\\')) {
                CAPSTAN_CHECK(read_escape(out));
            } else {
                out += text_[at_++];
            }
        }
        return Value(std::move(out));
    }
    Result<void> read_escape(std::string& out) {
        static constexpr std::string_view written = "btnfr\"\\", meant = "\b\t\n\f\r\"\\";
        const char c = peek();
        if (c == 'u' || c == 'U') {
            ++at_;
            return read_code(out, c == 'u' ? 4 : 8);
        }
        const std::size_t which = written.find(c);
        if (which == std::string_view::npos) return refuse("a TOML escape sequence");
        out += meant[which];
        ++at_;
        return {};
    }
    Result<void> read_code(std::string& out, std::size_t digits) {
        std::uint32_t code = 0;
        const std::string_view written = text_.substr(std::min(at_, text_.size()), digits);
        const auto [end, error] =
            std::from_chars(written.data(), written.data() + written.size(), code, 16);
        const bool whole = written.size() == digits && end == written.data() + digits;
        if (error != std::errc() || !whole || code > 0x10FFFF ||
            (code >= 0xD800 && code < 0xE000)) {
            return refuse("the hexadecimal digits of a character");
        }
        capstan::detail::append_utf8(out, code);
        at_ += digits;
        return {};
    }
    Result<Value> read_list() {
        Value::List items;
        ++at_;
        for (skip_space(); !take(']'); skip_space()) {
            CAPSTAN_TRY(Value item, read());
            items.push_back(std::move(item));
            skip_space();
            if (!take(',') && peek() != ']') return refuse("',' or ']'");
        }
        return Value(std::move(items));
    }
    Result<Value> read_table() {
        Value::Table members;
        ++at_;
        skip_blanks();
        if (take('}')) return Value(std::move(members));
        do {
            skip_blanks();
            CAPSTAN_TRY(std::string key, read_key());
            const bool is_there =
                std::any_of(members.begin(), members.end(),
                            [&](const auto& member) { return member.first == key; });
            if (is_there) return refuse("a new key");
            skip_blanks();
            if (!take('=')) return refuse("'='");
            skip_blanks();
            CAPSTAN_TRY(Value item, read());
            members.emplace_back(std::move(key), std::move(item));
            skip_blanks();
        } while (take(','));
        if (!take('}')) return refuse("',' or '}'");
        return Value(std::move(members));
    }
    Result<std::string> read_key() {
        if (peek() == '"' || peek() == '\'') {
            CAPSTAN_TRY(const Value key, read_here());
            return *key.get_if<std::string>();
        }
        const std::size_t begin = at_;
        while (is_bare(peek())) ++at_;
        if (at_ == begin) return refuse("a key");
        return std::string(text_.substr(begin, at_ - begin));
    }
    static bool is_bare(char c) noexcept { return is_ascii_alnum(c) || c == '_' || c == '-'; }
    Result<Value> read_word() {
        const std::size_t begin = at_;
        while (is_bare(peek()) || peek() == '.' || peek() == '+') ++at_;
        std::string word(text_.substr(begin, at_ - begin));
        if (word == "true") return Value(true);
        if (word == "false") return Value(false);
        Result<Value> number = read_number(std::move(word));
        if (!number) at_ = begin;
        return number;
    }
    Result<Value> read_number(std::string word) const {
        const bool is_infinite = word == "inf" || word == "+inf" || word == "-inf";
        if (!is_infinite && word != "nan" && !is_number(word)) return refuse("a TOML value");
        const bool is_whole = !is_infinite && word.find_first_of(".eEn") == std::string::npos;
        std::erase(word, '_');
        if (word.front() == '+') word.erase(0, 1);
        const char* const begin = word.data();
        const char* const end = begin + word.size();
        std::int64_t whole = 0;
        double number = 0;
        const auto read =
            is_whole ? std::from_chars(begin, end, whole) : std::from_chars(begin, end, number);
        if (read.ec != std::errc()) return refuse("a smaller number");
        return is_whole ? Value(whole) : Value(number);
    }
    /// Takes digits off the front, between which single underscores may be. False: there are none.
    static bool take_digits(std::string_view& rest) noexcept {
        std::size_t n = 0;
        while (n < rest.size() &&
               (is_ascii_digit(rest[n]) || (rest[n] == '_' && n > 0 && rest[n - 1] != '_')))
            ++n;
        if (n == 0 || rest[n - 1] == '_') return false;
        rest.remove_prefix(n);
        return true;
    }
    static void take_sign(std::string_view& rest) noexcept {
        if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    }
    /// "1_000", "-0.5", "6e-3".
    static bool is_number(std::string_view rest) noexcept {
        take_sign(rest);
        const bool begins_with_zero = rest.starts_with('0');
        const std::size_t size = rest.size();
        if (!take_digits(rest) || (begins_with_zero && size - rest.size() > 1)) return false;
        if (rest.starts_with('.')) {
            rest.remove_prefix(1);
            if (!take_digits(rest)) return false;
        }
        if (rest.starts_with('e') || rest.starts_with('E')) {
            rest.remove_prefix(1);
            take_sign(rest);
            if (!take_digits(rest)) return false;
        }
        return rest.empty();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Result<Value> parse_toml_value(std::string_view text) { return TomlReader(text).read_all(); }

}  // namespace testing
CAPSTAN_NAMESPACE_END
