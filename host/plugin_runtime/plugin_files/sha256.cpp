#include "plugin_runtime/plugin_files/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include <capstan/ascii.hpp>

#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

constexpr std::size_t hex_digits = 64;

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    // Fails only where OpenSSL itself is broken, so this is no error of the file.
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("OpenSSL cannot compute SHA-256");
    return hex_text({reinterpret_cast<const char*>(digest.data()), size});
}

Result<std::string> parse_sha256(std::string_view pin) {
    std::string hex = lower_case(pin);
    if (hex.size() != hex_digits || hex.find_first_not_of("0123456789abcdef") != std::string::npos)
        return refuse("sha256 \"" + std::string(pin) + "\" is not 64 hexadecimal digits");
    return hex;
}

}  // namespace capstan::plugin_runtime::plugin_files
