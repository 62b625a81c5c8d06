#include "io/url.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <capstan/ascii.hpp>
#include <capstan/url.hpp>

namespace capstan::io {

namespace {

struct Free {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
    void operator()(char* part) const { curl_free(part); }
};

/// A part of the URL, or empty.
std::string part_of(CURLU* url, CURLUPart which, unsigned flags = 0) {
    char* raw = nullptr;
    if (curl_url_get(url, which, &raw, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, Free> part(raw);
    return part.get();
}

std::string normal_host(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    return lower_case(host);
}

bool is_unprintable(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

}  // namespace

Result<Url> parse_url(const std::string& text) {
    const auto refuse = [](const char* why) {
        return fail(ErrorCode::invalid_argument, std::string("URL: ") + why);
    };
    if (std::any_of(text.begin(), text.end(), is_unprintable))
        return refuse("contains a space or a control character");
    if (text.find("://") == std::string::npos)
        return refuse("does not begin with http:// or https://");
    const std::unique_ptr<CURLU, Free> url(curl_url());
    const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
    if (code != CURLUE_OK) return refuse(curl_url_strerror(code));
    Url out{part_of(url.get(), CURLUPART_SCHEME), normal_host(part_of(url.get(), CURLUPART_HOST))};
    // A number of at most five digits: libcurl has read it.
    out.port = std::atoi(part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT).c_str());
    if (out.scheme != "http" && out.scheme != "https")
        return refuse("the scheme is neither http nor https");
    if (out.host.empty()) return refuse("no host");
    if (!part_of(url.get(), CURLUPART_USER).empty() ||
        !part_of(url.get(), CURLUPART_PASSWORD).empty())
        return refuse("contains a user name; use a header instead");
    return out;
}

std::optional<std::string> find_grant(std::string_view host,
                                      const std::vector<std::string>& patterns) {
    const auto found =
        std::find_if(patterns.begin(), patterns.end(), [host](const std::string& written) {
            const std::string pattern = normal_host(written);
            if (!pattern.starts_with("*.")) return pattern == host;
            const std::string_view below = std::string_view(pattern).substr(1);
            return host.size() > below.size() && host.ends_with(below);
        });
    return found == patterns.end() ? std::nullopt : std::optional(*found);
}

std::string decode_escapes(std::string_view text, bool plus_is_blank) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::optional<char> byte = detail::find_escape(text.substr(i));
        out += byte ? *byte : plus_is_blank && text[i] == '+' ? ' ' : text[i];
        if (byte) i += 2;
    }
    return out;
}

}  // namespace capstan::io
