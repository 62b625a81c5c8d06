#include "kubernetes/client/access/credentials_base64.hpp"

#include <cstdint>

#include <capstan/base64.hpp>

namespace capstan::kubernetes::client {

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
        const int digit = detail::base64_value(c, false);
        if (digit < 0 || padding > 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        if (++digits % 4 != 1) out += static_cast<char>(bits >> (6 - 2 * ((digits - 1) % 4)));
    }
    const std::size_t missing = (4 - digits % 4) % 4;
    if (missing == 3 || padding != missing) return std::nullopt;
    return out;
}

}  // namespace capstan::kubernetes::client
