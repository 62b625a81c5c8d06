#include "io/http_syntax.hpp"

#include <algorithm>
#include <cstdint>

#include <capstan/ascii.hpp>

namespace capstan::io {

namespace {

constexpr std::size_t token_limit = 256;
constexpr std::size_t value_limit = CAPSTAN_HTTP_MAX_HEADER_VALUE;
constexpr std::size_t header_limit = CAPSTAN_HTTP_MAX_HEADERS;

bool is_token_byte(char c) noexcept {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return is_ascii_alnum(c) || marks.find(c) != std::string_view::npos;
}

bool is_value_byte(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
}

Unexpected refuse(std::string why) { return fail(ErrorCode::invalid_argument, std::move(why)); }

}  // namespace

bool is_token(std::string_view text) noexcept {
    return !text.empty() && text.size() <= token_limit &&
           std::all_of(text.begin(), text.end(), is_token_byte);
}

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Result<void> check_syntax(const HttpRequest& request) {
    if (!is_token(request.method)) return refuse("the method is not a valid HTTP method");
    if (request.headers.size() > header_limit) return refuse("more than 128 headers");
    for (const auto& [name, value] : request.headers) {
        if (!is_token(name)) return refuse("a header name is not a token");
        if (value.size() > value_limit) return refuse("header " + name + " is longer than 16 KiB");
        if (!std::all_of(value.begin(), value.end(), is_value_byte)) {
            return refuse("header " + name + " has a control character");
        }
    }
    return {};
}

Result<void> check_flags(const HttpRequest& request, std::string_view scheme) {
    constexpr std::uint64_t known = std::uint64_t{CAPSTAN_HTTP_DIRECT} | CAPSTAN_HTTP_2 |
                                    CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE | CAPSTAN_HTTP_PATH_AS_IS;
    const std::uint64_t unknown = request.flags & ~known;
    if (unknown != 0) return refuse("unknown flags " + std::to_string(unknown) + "");
    if (request.has(CAPSTAN_HTTP_2) && scheme != "https")
        return refuse(
            "CAPSTAN_HTTP_2 requires https; without TLS use CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE");
    if (request.has(CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE) && scheme != "http")
        return refuse("CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE requires http; over TLS use CAPSTAN_HTTP_2");
    return {};
}

}  // namespace capstan::io
