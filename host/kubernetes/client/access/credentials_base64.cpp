#include "kubernetes/client/access/credentials_base64.hpp"

#include <cstdint>

namespace capstan::kubernetes {
namespace {

std::optional<std::uint32_t> find_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_base64_bytes(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    std::size_t digits = 0, padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const std::optional<std::uint32_t> digit = find_digit(c);
        if (!digit || padding > 0) return std::nullopt;
        bits = bits << 6 | *digit;
        if (++digits % 4 != 1) out += static_cast<char>(bits >> (6 - 2 * ((digits - 1) % 4)));
    }
    const std::size_t missing = (4 - digits % 4) % 4;
    if (missing == 3 || padding != missing) return std::nullopt;
    return out;
}

}  // namespace capstan::kubernetes
