#include "kubernetes/client/access/credentials_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace capstan::kubernetes::client {
namespace {

constexpr std::string_view space = " \t\r\n";

struct Closes {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

Unexpected refuse_file(const std::filesystem::path& file, const std::string& why) {
    return fail(ErrorCode::invalid_config, file.string() + ": " + why);
}

Unexpected cannot_read(const std::filesystem::path& file) {
    return refuse_file(file, "cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& file, std::size_t max_bytes) {
    const std::unique_ptr<std::FILE, Closes> in(std::fopen(file.c_str(), "rbe"));
    if (in == nullptr) return cannot_read(file);
    std::string out;
    std::array<char, 16 * 1024> piece;
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), in.get())) {
        out.append(piece.data(), size);
        if (out.size() > max_bytes)
            return refuse_file(file, "longer than " + std::to_string(max_bytes) + " bytes");
    }
    if (std::ferror(in.get()) != 0) return cannot_read(file);
    return out;
}

bool is_bearer_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<std::string> read_token_file(const std::filesystem::path& file) {
    CAPSTAN_TRY(const std::string text, read_small_file(file));
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string::npos) return refuse_file(file, "the token file is empty");
    std::string token = text.substr(first, text.find_last_not_of(space) - first + 1);
    if (!is_bearer_token(token))
        return refuse_file(file, "holds no token, for that is one word of ASCII");
    return token;
}

bool has_pem(std::string_view text, PemKind kind) noexcept {
    // The name of a key's kind stands in front: "EC PRIVATE KEY".
    const std::string_view name =
        kind == PemKind::certificate ? "CERTIFICATE-----" : "PRIVATE KEY-----";
    const std::size_t begin = text.find("-----BEGIN ");
    return begin != std::string_view::npos && text.find(name, begin) != std::string_view::npos;
}

Result<std::string> read_pem_file(const std::filesystem::path& file, PemKind kind) {
    CAPSTAN_TRY(std::string text, read_small_file(file));
    if (has_pem(text, kind)) return text;
    return refuse_file(file, kind == PemKind::certificate ? "holds no certificate in PEM form"
                                                          : "holds no private key in PEM form");
}

}  // namespace capstan::kubernetes::client
