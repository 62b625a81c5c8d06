/// Parts of URLs as text.
///
///     UrlBuilder(endpoint).segment("v1").segment(group).query("page", token).text()
///         ->  "https://api.example/v1/web%20a?page=x%2Fy"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/ascii.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// RFC 3986's unreserved characters.
constexpr bool is_unreserved(char c) noexcept {
    return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// The byte of the escape at the front of `text`.
constexpr std::optional<char> find_escape(std::string_view text) noexcept {
    if (text.size() < 3 || text[0] != '%') return std::nullopt;
    const int high = hex_value(text[1]), low = hex_value(text[2]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

}  // namespace detail

/// Encodes every byte for which `keeps` is false as %XX, in upper case.
template <class Keeps>
std::string percent_encode_unless(std::string_view text, Keeps keeps) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (keeps(c)) {
            out += c;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out;
}

/// For a segment of a path, or a name or value of a query: encodes everything except letters,
/// digits and "-._~".
inline std::string percent_encode(std::string_view text) {
    return percent_encode_unless(text, detail::is_unreserved);
}

/// `invalid_argument`: a percent sign without two hexadecimal digits.
inline Result<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const std::optional<char> byte = detail::find_escape(text.substr(i));
        if (!byte)
            return fail(ErrorCode::invalid_argument,
                        in_quotes(text) + ": expected two hexadecimal digits after '%'");
        out += *byte;
        i += 2;
    }
    return out;
}

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// "a=1&b=x%20y", in the order given.
inline std::string format_query(const QueryParameters& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
        if (!out.empty()) out += '&';
        out += percent_encode(name) + '=' + percent_encode(value);
    }
    return out;
}

/// Parses the part after '?'. A plus is a space; a name without '=' has an empty value.
/// `invalid_argument`: as percent_decode.
inline Result<QueryParameters> parse_query(std::string_view text) {
    QueryParameters out;
    const auto decode = [](std::string_view part) {
        std::string plain(part);
        for (char& c : plain) c = c == '+' ? ' ' : c;
        return percent_decode(plain);
    };
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(pair.size() + (pair.size() < text.size() ? 1 : 0));
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        CAPSTAN_TRY(std::string name, decode(pair.substr(0, equals)));
        CAPSTAN_TRY(std::string value,
                    decode(equals == std::string_view::npos ? std::string_view()
                                                            : pair.substr(equals + 1)));
        out.emplace_back(std::move(name), std::move(value));
    }
    return out;
}

/// Appends path segments, then the query, to a URL without a fragment.
class UrlBuilder {
public:
    /// A slash at the end of `base` is ignored.
    explicit UrlBuilder(std::string base) : text_(std::move(base)) {
        while (text_.ends_with('/')) text_.pop_back();
    }

    /// One segment of the path, percent-encoded. Throws Failure(invalid_argument) for an empty
    /// segment, "." and "..", which would change the path.
    UrlBuilder& segment(std::string_view name) & {
        if (name.empty() || name == "." || name == "..")
            throw Failure(ErrorCode::invalid_argument,
                          in_quotes(name) + " is not a valid segment of a URL path");
        text_ += '/';
        text_ += percent_encode(name);
        return *this;
    }
    UrlBuilder& query(std::string_view name, std::string_view value) & {
        text_ += text_.find('?') == std::string::npos ? '?' : '&';
        text_ += percent_encode(name) + '=' + percent_encode(value);
        return *this;
    }
    UrlBuilder&& segment(std::string_view name) && { return std::move(segment(name)); }
    UrlBuilder&& query(std::string_view name, std::string_view value) && {
        return std::move(query(name, value));
    }
    std::string text() const& { return text_; }
    std::string text() && { return std::move(text_); }

private:
    std::string text_;
};

/// The part of a URL that messages may show: without the query, which may have signatures and
/// tokens.
inline std::string_view without_query(std::string_view url) noexcept {
    return url.substr(0, url.find_first_of("?#"));
}

CAPSTAN_NAMESPACE_END
