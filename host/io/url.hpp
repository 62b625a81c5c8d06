/// Where a request goes, read exactly as the HTTP client will read it.
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
    int port = 0;        ///< the scheme's, where none is written
};

/// `invalid_argument`: not an absolute http or https URL, or one with a user name, a space or a
/// control character.
Result<Url> parse_url(const std::string& url);

/// The first of `patterns` that `host` is one of: "api.example.com" stands for itself,
/// "*.example.com" for every name below.
std::optional<std::string> find_grant(std::string_view host,
                                      const std::vector<std::string>& patterns);

/// A part of a request's target without its percent signs; what is no escape stays. In a query a
/// plus stands for a blank.
std::string decode_escapes(std::string_view text, bool plus_is_blank = false);

}  // namespace capstan::io
