/// URLs of requests, parsed by libcurl's parser, so that checks and the client never differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::io {

struct Url {
    std::string scheme;  ///< "http" or "https"
    std::string host;    ///< lower case, without a final dot; an IPv6 address in brackets
    int port = 0;        ///< the scheme's default if the URL has none
};

/// `invalid_argument`: not an absolute http or https URL, or one with a user name, a space or a
/// control character.
Result<Url> parse_url(const std::string& url);

/// The first of `patterns` that matches `host`: "api.example.com" matches itself, "*.example.com"
/// all its subdomains.
std::optional<std::string> find_grant(std::string_view host,
                                      const std::vector<std::string>& patterns);

/// Percent-decodes a part of a request's target. A malformed escape stays as it is.
/// `plus_is_blank`: a plus is a blank, as in a query.
std::string decode_escapes(std::string_view text, bool plus_is_blank = false);

}  // namespace capstan::io
